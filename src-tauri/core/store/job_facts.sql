SELECT json_object(
    'id', j.id, 'mark', j.mark, 'origin', j.origin, 'method', j.method, 'path', j.path,
    'created', min(j.created_ns, coalesce((SELECT min(at_ns) FROM attempts WHERE job = j.id), j.created_ns)),
    'workspace', j.workspace, 'workspace_name', w.name, 'workspace_print', coalesce(t.key_print, w.key_print),
    'key', j.life_key, 'request_id', j.request_id, 'body', nullif(lower(hex(j.body)), ''),
    'scheduled', s.scheduled_ns,
    'near_live', json(iif(EXISTS (
        SELECT 1 FROM confirmations AS f, json_each(f.reasons) WHERE f.job = j.id AND value = 'near_content'), 'true', 'false')),
    'tied', w.same_as,
    'moved', json(iif(j.import IS NULL AND EXISTS (
        SELECT 1 FROM moves AS m
        WHERE j.id <= m.last_job AND NOT EXISTS (SELECT 1 FROM attempts WHERE job = j.id AND id > m.last_attempt)), 'true', 'false')),
    'settled', json((
        SELECT json_object('at', n.at_ns, 'there', json(iif(coalesce(n.there, 1), 'true', 'false')), 'post', n.post,
                           'text', n.text)
        FROM notes AS n
        WHERE n.job = j.mark AND n.action = 'settled' AND (n.there IS NOT NULL OR n.post IS NOT NULL)
            AND n.at_ns >= coalesce((SELECT max(at_ns) FROM attempts WHERE job = j.id), n.at_ns)
        ORDER BY n.at_ns DESC, n.id DESC LIMIT 1)),
    'cancelled', (SELECT max(at_ns) FROM notes WHERE job = j.mark AND action = 'cancelled'),
    'attempts', json((
        SELECT json_group_array(json_object(
            'id', a.id, 'n', a.n, 'at', a.at_ns, 'workspace', a.workspace, 'key', a.key, 'key_print', a.key_print,
            'body', nullif(lower(hex(a.body)), ''), 'masked', json(iif(a.masked, 'true', 'false')),
            'end', json(iif(r.attempt IS NULL, NULL, json_object(
                'kind', r.kind, 'at', r.at_ns, 'status', r.status, 'meaning', d.meaning, 'post', d.post,
                'retry_at', d.retry_ns, 'date', d.date_ns,
                'differs', json(CASE d.differs WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)))),
            'maker', json(iif(d.meaning IS 'replayed', (
                SELECT json_object('job', m.job, 'body', nullif(lower(hex(m.body)), ''))
                FROM attempts AS m JOIN readings AS md ON md.attempt = m.id AND md.meaning = 'created'
                WHERE m.workspace IN (SELECT id FROM workspaces WHERE coalesce(same_as, id) = coalesce(w.same_as, w.id))
                    AND m.key = a.key AND m.at_ns <= a.at_ns AND m.id <> a.id
                ORDER BY m.at_ns DESC LIMIT 1), NULL))
            ) ORDER BY a.n, a.at_ns, a.id)
        FROM attempts AS a LEFT JOIN results AS r ON r.attempt = a.id LEFT JOIN readings AS d ON d.attempt = a.id
        WHERE a.job = j.id)),
    'key_use', json((
        SELECT json_object(
            'first_at', f.at_ns, 'first_print', f.key_print,
            'lowest_n', (SELECT min(n) FROM attempts WHERE job = f.job),
            'already_there', json(iif(
                EXISTS (SELECT 1 FROM readings WHERE attempt = f.id AND meaning = 'replayed'), 'true', 'false')),
            'first_skew_ns', (
                SELECT d.date_ns - r.at_ns
                FROM attempts AS a JOIN results AS r ON r.attempt = a.id JOIN readings AS d ON d.attempt = a.id
                WHERE a.workspace IN (SELECT id FROM workspaces WHERE coalesce(same_as, id) = coalesce(w.same_as, w.id))
                    AND a.key = j.life_key AND d.date_ns IS NOT NULL
                ORDER BY a.at_ns LIMIT 1),
            'later_skew_ns', (SELECT ahead_ns FROM clocks WHERE workspace = coalesce(w.same_as, w.id)))
        FROM attempts AS f
        WHERE f.workspace IN (SELECT id FROM workspaces WHERE coalesce(same_as, id) = coalesce(w.same_as, w.id))
            AND f.key = j.life_key ORDER BY f.at_ns, f.id LIMIT 1))
)
FROM (
    -- The key of an imported job is that of its first attempt, in whatever order its lines were read.
    SELECT jobs.*, iif(import IS NULL, key, (
        SELECT key FROM attempts WHERE job = jobs.id ORDER BY n, at_ns, id LIMIT 1)) AS life_key
    FROM jobs) AS j
JOIN workspaces AS w ON w.id = j.workspace LEFT JOIN workspaces AS t ON t.id = w.same_as
LEFT JOIN job_states AS s ON s.job = j.id
