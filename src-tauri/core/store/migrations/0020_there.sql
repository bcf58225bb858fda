-- Which posts on this account are known only by a refusal that named them?
-- When they are planned for was never told, so no age takes them out of sight.

CREATE INDEX tellings_there ON tellings (account, post) WHERE status = 'there';
