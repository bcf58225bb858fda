WITH RECURSIVE
    -- What is told of posts bears their times: where their clock is behind ours, recent begins earlier.
    recent (since) AS (SELECT ?6 + min(0, coalesce((SELECT ahead_ns FROM clocks WHERE workspace = ?2), 0))),
    -- The workspace it goes to, with the names of files that a person said mean it.
    here (id) AS (SELECT id FROM workspaces WHERE coalesce(same_as, id) = ?2),
    up (job) AS (
        SELECT ?1 UNION SELECT j.again_of FROM up JOIN jobs AS j ON j.id = up.job WHERE j.again_of IS NOT NULL),
    family (job) AS (SELECT job FROM up UNION SELECT j.id FROM family JOIN jobs AS j ON j.again_of = family.job),
    -- What a person last found when they looked for a job, after its latest try.
    found (job, at, there, post) AS (
        SELECT j.id, n.at_ns, coalesce(n.there, 1), n.post FROM notes AS n JOIN jobs AS j ON j.mark = n.job
        WHERE n.action = 'settled' AND (n.there IS NOT NULL OR n.post IS NOT NULL)
            AND n.at_ns >= coalesce((SELECT max(at_ns) FROM attempts WHERE job = j.id), n.at_ns)
            AND NOT EXISTS (SELECT 1 FROM notes AS l WHERE l.job = n.job AND l.action = 'settled'
                AND (l.there IS NOT NULL OR l.post IS NOT NULL) AND (l.at_ns, l.id) > (n.at_ns, n.id))),
    made (post) AS (
        SELECT d.post FROM family JOIN attempts AS a ON a.job = family.job JOIN readings AS d ON d.attempt = a.id
        WHERE d.meaning IN ('created', 'replayed', 'poll')
        UNION
        SELECT n.post FROM found AS n WHERE n.job IN (SELECT job FROM family) AND n.post IS NOT NULL),
    own (post) AS (SELECT DISTINCT post FROM made WHERE post IS NOT NULL),
    places (account) AS (SELECT value FROM json_each(?4)),
    -- Only the newest messages are looked through for words.
    oldest (at) AS MATERIALIZED (
        SELECT coalesce((SELECT happened_ns FROM events WHERE happened_ns IS NOT NULL AND happened_ns >= (SELECT since FROM recent)
            ORDER BY happened_ns DESC LIMIT 1 OFFSET ?8), (SELECT since FROM recent))),
    -- Words that only messages told of, as far as those are looked through: by account, and in roll-ups, which name none.
    heard (post, account, text, seq) AS MATERIALIZED (
        SELECT substr(e.resource, 6), p.account, e.text, e.counts
        FROM places AS p CROSS JOIN events AS e ON e.account = p.account AND e.last_ns >= (SELECT since FROM recent)
        WHERE e.account IS NOT NULL AND e.nature = 'real' AND e.text IS NOT NULL AND e.resource LIKE 'post:%'
            AND EXISTS (SELECT 1 FROM json_each(e.news) WHERE value ->> 'lane' = e.resource || '/' || p.account)
        UNION ALL
        SELECT substr(e.resource, 6), p.account, e.text, e.counts
        FROM events AS e CROSS JOIN json_each(e.news) AS n CROSS JOIN places AS p
        WHERE e.happened_ns IS NOT NULL AND e.happened_ns >= (SELECT at FROM oldest)
            AND e.account IS NULL AND e.nature = 'real' AND e.text IS NOT NULL AND e.resource LIKE 'post:%'
            AND n.value ->> 'lane' = e.resource || '/' || p.account),
    -- Posts that a person last did not see on the account.
    unseen (post, at) AS MATERIALIZED (
        SELECT post, at_ns FROM (
            SELECT coalesce(n.post, s.post) AS post, n.at_ns, n.action,
                row_number() OVER (PARTITION BY coalesce(n.post, s.post) ORDER BY n.at_ns DESC, n.id DESC) AS turn
            FROM notes AS n LEFT JOIN jobs AS j ON j.mark = n.job LEFT JOIN job_states AS s ON s.job = j.id
            WHERE n.action IN ('not_seen', 'seen_twice')
                OR n.action = 'settled' AND (n.there = 1 OR n.post IS NOT NULL))
        WHERE turn = 1 AND action = 'not_seen' AND post IS NOT NULL),
    targets (post, account) AS (
        SELECT w.post, w.account FROM places JOIN post_words AS w ON w.account = places.account
        WHERE w.words IN (SELECT unhex(value) FROM json_each(?5))
        UNION
        SELECT w.post, w.account FROM places JOIN post_words AS w ON w.account = places.account
        WHERE w.last_ns >= (SELECT since FROM recent)
        UNION
        -- Known only by a refusal that named them: they may be planned for any time.
        SELECT t.post, t.account FROM places JOIN tellings AS t ON t.account = places.account
        WHERE t.status = 'there' AND NOT EXISTS (
            SELECT 1 FROM tellings AS l WHERE l.post = t.post AND l.account IN (t.account, '') AND l.status <> 'there')
        UNION
        SELECT own.post, places.account FROM own, places
        UNION
        SELECT post, account FROM heard),
    -- Jobs that are done by what came before, and whose last try was lost when the key may have ended.
    loose (job) AS (
        SELECT a.job
        FROM attempts AS a LEFT JOIN results AS r ON r.attempt = a.id LEFT JOIN readings AS d ON d.attempt = a.id
        WHERE (a.at_ns >= ?6 OR a.job IN (SELECT job FROM family))
            AND (r.attempt IS NULL OR r.kind IN ('timeout', 'reset', 'crash') OR d.meaning = 'unknown')
            AND EXISTS (SELECT 1 FROM attempts AS e WHERE e.workspace = a.workspace AND e.key = a.key
                AND e.at_ns <= a.at_ns - ?7)
            AND NOT EXISTS (SELECT 1 FROM attempts AS l JOIN readings AS m ON m.attempt = l.id
                WHERE l.job = a.job AND l.id > a.id AND m.meaning IN ('created', 'replayed')))
SELECT json_object(
    'uses', json((
        SELECT json_group_array(json_object(
            'job', a.job, 'n', a.n, 'path', (SELECT path FROM jobs WHERE id = a.job), 'at', a.at_ns, 'end', r.at_ns, 'kind', r.kind, 'meaning', d.meaning,
            'post', d.post, 'retry_at', d.retry_ns, 'body', nullif(lower(hex(a.body)), ''),
            'ahead', coalesce(d.date_ns - r.at_ns, iif(a.import IS NULL, (
                SELECT d2.date_ns - r2.at_ns
                FROM attempts AS a2 JOIN results AS r2 ON r2.attempt = a2.id JOIN readings AS d2 ON d2.attempt = a2.id
                WHERE a2.at_ns <= a.at_ns AND a2.workspace IN (SELECT id FROM here) AND a2.import IS NULL
                    AND d2.date_ns IS NOT NULL
                ORDER BY a2.at_ns DESC LIMIT 1), NULL)),
            'guessed', json(iif(d.date_ns IS NULL, 'true', 'false')))
            -- Our own follow each other by row, even if the clock was set back between them.
            ORDER BY a.import IS NULL, iif(a.import IS NULL, a.id, a.at_ns), a.id)
        FROM attempts AS a LEFT JOIN results AS r ON r.attempt = a.id LEFT JOIN readings AS d ON d.attempt = a.id
        WHERE a.workspace IN (SELECT id FROM here) AND a.key = ?3)),
    'posts', json((
        SELECT json_group_array(json_object(
            'post', t.post, 'account', t.account, 'words', nullif(lower(hex(w.words)), ''),
            'text', coalesce(w.text, (
                SELECT h.text FROM heard AS h WHERE h.post = t.post AND h.account = t.account ORDER BY h.seq DESC LIMIT 1)),
            -- Messages come for the workspace they were received for; a file that tells of them does not say.
            'workspace', coalesce(
                iif(w.workspace IN (SELECT id FROM here), ?2, w.workspace),
                (SELECT iif(s.workspace IN (SELECT id FROM here), ?2, s.workspace)
                 FROM heard AS h JOIN arrivals AS a ON a.seq = h.seq JOIN sessions AS s ON s.id = a.session
                 WHERE h.post = t.post AND s.workspace IS NOT NULL LIMIT 1)),
            'scheduled', w.scheduled_ns, 'unseen', (SELECT u.at FROM unseen AS u WHERE u.post = t.post),
            'news', json((
                SELECT json_group_array(json_object(
                    'at', n.at, 'status', n.status, 'published', n.published, 'scheduled', n.scheduled,
                    'exact', json(iif(n.exact, 'true', 'false')), 'hearsay', json(iif(n.hearsay, 'true', 'false'))))
                FROM (
                    SELECT s.at_ns AS at, s.status, s.published_ns AS published, s.scheduled_ns AS scheduled, 0 AS exact,
                        s.hearsay
                    FROM tellings AS s WHERE s.post = t.post AND s.account IN (t.account, '')
                    UNION ALL
                    -- An event about the target alone happened when its state began (R4); a roll-up came after.
                    SELECT e.happened_ns, value ->> 'status', NULL, NULL,
                        NOT EXISTS (SELECT 1 FROM json_each(e.news)
                            WHERE value ->> 'lane' = e.resource AND value ->> 'rank' = 'own'),
                        -- The body that counts is a file's (Trust::Imported).
                        e.counts_trust = 0
                    FROM events AS e, json_each(e.news)
                    WHERE e.resource = 'post:' || t.post AND e.nature = 'real' AND e.placing <> 'unplaced'
                        AND e.happened_ns IS NOT NULL
                        AND (value ->> 'lane' = e.resource || '/' || t.account
                            OR value ->> 'lane' = e.resource AND value ->> 'rank' = 'own' AND NOT EXISTS (
                                SELECT 1 FROM json_each(e.news) AS x WHERE x.value ->> 'lane' <> e.resource))
                ) AS n))))
        FROM targets AS t LEFT JOIN post_words AS w ON w.post = t.post AND w.account = t.account)),
    'jobs', json((
        SELECT json_group_array(json_object(
            'job', j.id, 'mark', j.mark, 'own', json(iif(j.id IN (SELECT job FROM family), 'true', 'false')),
            'account', k.account, 'text', k.text, 'words', lower(hex(k.words)), 'workspace', iif(j.workspace IN (SELECT id FROM here), ?2, j.workspace), 'none_seen', f.at,
            'state', s.state, 'outcome', s.outcome, 'scheduled', s.scheduled_ns,
            'last', coalesce((SELECT max(at_ns) FROM attempts WHERE job = j.id), j.created_ns)))
        FROM (
            SELECT job FROM job_states WHERE outcome = 'unknown' OR state IN ('waiting', 'sending')
            UNION SELECT job FROM loose) AS o
        JOIN job_states AS s ON s.job = o.job JOIN jobs AS j ON j.id = s.job JOIN job_words AS k ON k.job = s.job
        LEFT JOIN found AS f ON f.job = j.id AND f.there = 0
        WHERE k.account IN (SELECT account FROM places)
            -- One whose post a person found is known by that post.
            AND NOT EXISTS (SELECT 1 FROM found WHERE found.job = j.id AND found.post IS NOT NULL))),
    'accounts', json((
        SELECT json_group_array(json_object('account', p.account, 'status', l.status, 'at', l.as_of_ns))
        FROM places AS p JOIN lanes AS l ON l.lane = 'account:' || p.account WHERE l.status IS NOT NULL)),
    'own', json((SELECT json_group_array(post) FROM own)),
    'own_untold', json(iif(EXISTS (SELECT 1 FROM made WHERE post IS NULL), 'true', 'false')),
    'ahead', (SELECT ahead_ns FROM clocks WHERE workspace = ?2),
    'others', json(iif(EXISTS (SELECT 1 FROM workspaces WHERE coalesce(same_as, id) <> ?2), 'true', 'false')),
    'words_behind', json(iif((SELECT at FROM oldest) > (SELECT since FROM recent), 'true', 'false'))
)
