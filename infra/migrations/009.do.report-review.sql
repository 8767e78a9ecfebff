-- What a reviewer says of a report, and when they last looked at it; null while it is new.
alter table reports add column reviewer_note text;
alter table reports add column reviewed_at timestamptz;
create index reports_received on reports (received_at desc, id desc);

-- When an item's life was last counted anew. Its content has not changed with that, so `updated_at` does not tell.
alter table items add column renewed_at timestamptz;
-- The repair pass reads what was renewed lately.
create index items_renewed on items (renewed_at) where renewed_at is not null;
