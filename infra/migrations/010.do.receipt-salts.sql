-- What the owner token of a create under an Idempotency-Key is made of, besides the key: it goes with the receipt. Null for
-- creates without such a key, and for those of releases before.
alter table create_receipts add column salt text;
