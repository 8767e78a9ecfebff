-- Whether the blob was part of an item: then nobody may claim it again.
alter table blob_trash add column used boolean not null default false;
