-- SQLite looks a value up in a list of more than two by filling a table of its own with the list, for every row that is
-- written: a twentieth of what an arrival costs. The same checks as comparisons cost nothing of that. Only their words
-- change, not what is stored, which SQLite allows in its table of tables (its ALTER TABLE page, "Making Other Kinds Of Table
-- Schema Changes").
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(replace(sql,
    'signature IN (''valid'', ''invalid'', ''missing'', ''unchecked'')',
    'signature = ''valid'' OR signature = ''invalid'' OR signature = ''missing'' OR signature = ''unchecked'''),
    'trust IN (0, 1, 2)',
    'trust BETWEEN 0 AND 2')
WHERE type = 'table' AND name = 'arrivals';

UPDATE sqlite_schema SET sql = replace(replace(sql,
    'standing IN (''first'', ''duplicate'', ''test'', ''quarantined'', ''unreadable'')',
    'standing = ''first'' OR standing = ''duplicate'' OR standing = ''test'' OR standing = ''quarantined'' OR standing = ''unreadable'''),
    'confidence IN (''high'', ''medium'', ''low'')',
    'confidence = ''high'' OR confidence = ''medium'' OR confidence = ''low''')
WHERE type = 'table' AND name = 'standings';

UPDATE sqlite_schema SET sql = replace(replace(sql,
    'nature IN (''real'', ''test'', ''odd'')',
    'nature = ''real'' OR nature = ''test'' OR nature = ''odd'''),
    'placing IN (''in_order'', ''late'', ''tie'', ''unplaced'')',
    'placing = ''in_order'' OR placing = ''late'' OR placing = ''tie'' OR placing = ''unplaced''')
WHERE type = 'table' AND name = 'events';

UPDATE sqlite_schema SET sql = replace(sql,
    'kind IN (''answered'', ''timeout'', ''reset'', ''crash'', ''not_sent'')',
    'kind = ''answered'' OR kind = ''timeout'' OR kind = ''reset'' OR kind = ''crash'' OR kind = ''not_sent''')
WHERE type = 'table' AND name = 'results';

UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
    'state IN (''draft'', ''waiting'', ''sending'', ''unknown'', ''done'', ''refused'', ''stopped'', ''cancelled'')',
    'state = ''draft'' OR state = ''waiting'' OR state = ''sending'' OR state = ''unknown'' OR state = ''done'' OR state = ''refused'' OR state = ''stopped'' OR state = ''cancelled'''),
    'outcome IN (''none'', ''created'', ''replayed'', ''unknown'', ''refused'', ''rejected'')',
    'outcome = ''none'' OR outcome = ''created'' OR outcome = ''replayed'' OR outcome = ''unknown'' OR outcome = ''refused'' OR outcome = ''rejected'''),
    'place IN (0, 1, 2)',
    'place BETWEEN 0 AND 2')
WHERE type = 'table' AND name = 'job_states';

UPDATE sqlite_schema SET sql = replace(replace(sql,
    'meaning IN (''created'', ''replayed'', ''poll'', ''conflict'', ''same_content'', ''unknown'',',
    'meaning = ''created'' OR meaning = ''replayed'' OR meaning = ''poll'' OR meaning = ''conflict'' OR meaning = ''same_content'' OR meaning = ''unknown'' OR'),
    '''redirected'', ''rejected'', ''key_elsewhere'')',
    'meaning = ''redirected'' OR meaning = ''rejected'' OR meaning = ''key_elsewhere''')
WHERE type = 'table' AND name = 'readings';

-- Reads the table of tables anew, here and, by the change of layout that an index is, in every other connection.
PRAGMA writable_schema = RESET;
CREATE INDEX read_anew ON settings (key);
DROP INDEX read_anew;
