-- Where the create of an item came from. Kept as long as the item; null for items of earlier releases.
alter table items add column client_ip text;
alter table items add column user_agent text;

-- Hidden by the operator: answered like a removed item, and listed nowhere, until it is shown again.
alter table items add column hidden boolean not null default false;
-- When it was last hidden or shown: the repair pass reads what was changed so lately.
alter table items add column moderated_at timestamptz;

create index items_moderated on items (moderated_at) where moderated_at is not null;
-- The few addresses that lists of public items leave out.
create index items_hidden on items (id) where hidden and namespace = 'public';
-- The operator's list of all items, newest first.
create index items_created on items (created_at, namespace, id);
