-- The certificate of hub_url_static_cert: made once, by whichever process comes first, and never changed.

create table static_certificate (
  one         boolean primary key default true check (one),
  certificate text not null,                  -- PEM
  private_key bytea not null,                 -- PEM, sealed with the master key
  made_at     timestamptz not null
);
