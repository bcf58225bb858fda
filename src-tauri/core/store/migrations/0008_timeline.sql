-- What happened, or was sent, in a span of time, and which jobs belong to a post of that span?
CREATE INDEX events_by_happened ON events (happened_ns, resource) WHERE happened_ns IS NOT NULL;
CREATE INDEX job_states_by_post ON job_states (post) WHERE post IS NOT NULL;
