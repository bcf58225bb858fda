-- No table changes, but what stands in them: from here on bytes are packed with a dictionary. A program that has none would
-- call such rows damaged, so it must refuse the log instead.
SELECT 1;
