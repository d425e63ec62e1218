-- How a person signed in, for acr and amr of the id_token (decision 6.69). Null: a release that did not know them wrote it.

alter table authorization_requests add column acr_values text[] not null default '{}';
alter table authorization_codes add column acr text, add column amr text;
alter table refresh_tokens add column acr text, add column amr text;

comment on column authorization_requests.acr_values is 'What the application asked for, of those that are known, in its order.';
comment on column authorization_codes.acr is 'Of the session that decided; null: none that has a name.';
comment on column authorization_codes.amr is 'How that session was opened (RFC 8176), space-separated.';
comment on column refresh_tokens.acr is 'As in the code it began with.';
comment on column refresh_tokens.amr is 'As in the code it began with.';
