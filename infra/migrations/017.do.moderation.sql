-- Where the create of an item came from. Kept as long as the item; null for items of earlier releases.
alter table items add column client_ip text;
alter table items add column user_agent text;

-- Hidden by the operator: answered like a removed item, and listed nowhere, until it is shown again.
alter table items add column hidden boolean not null default false;
-- When it was last hidden or shown: the repair pass reads what was changed so lately.
alter table items add column moderated_at timestamptz;
