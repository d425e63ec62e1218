// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.
// Only portal/src/api/ reads it; pages use the names given there.

export type Item<Operation extends keyof Responses> = Responses[Operation] extends { items: (infer One)[] }
  ? One
  : never

/** The JSON body of each operation's successful response. */
export interface Responses {
  'POST /core/v1/operator/partners': {
    id: string
    name: string
    portal_domain: string | null
    created_at: string
    lab: {
      customer_id: string
    }
  }
  'GET /core/v1/operator/partners': {
    items: {
      id: string
      name: string
      portal_domain: string | null
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/partners/{id}': {
    id: string
    name: string
    portal_domain: string | null
    created_at: string
  }
  'PATCH /core/v1/operator/partners/{id}': {
    id: string
    name: string
    portal_domain: string | null
    created_at: string
  }
  'POST /core/v1/operator/partners/{id}/applications': {
    client_id: string
    name: string
    redirect_uris: string[]
    id_token_alg: 'RS256' | 'ES256'
    enabled: boolean
    secrets: {
      hint: string
      created_at: string
      expires_at: string | null
    }[]
    secret_rotation_requested_at: string | null
    created_at: string
    partner_id: string
    client_secret: string
  }
  'GET /core/v1/operator/partners/{id}/applications': {
    items: {
      client_id: string
      name: string
      redirect_uris: string[]
      id_token_alg: 'RS256' | 'ES256'
      enabled: boolean
      secrets: {
        hint: string
        created_at: string
        expires_at: string | null
      }[]
      secret_rotation_requested_at: string | null
      created_at: string
      partner_id: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/applications': {
    items: {
      client_id: string
      name: string
      redirect_uris: string[]
      id_token_alg: 'RS256' | 'ES256'
      enabled: boolean
      secrets: {
        hint: string
        created_at: string
        expires_at: string | null
      }[]
      secret_rotation_requested_at: string | null
      created_at: string
      partner_id: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/applications/{client_id}': {
    client_id: string
    name: string
    redirect_uris: string[]
    id_token_alg: 'RS256' | 'ES256'
    enabled: boolean
    secrets: {
      hint: string
      created_at: string
      expires_at: string | null
    }[]
    secret_rotation_requested_at: string | null
    created_at: string
    partner_id: string
    active_grants: number
  }
  'PATCH /core/v1/operator/applications/{client_id}': {
    client_id: string
    name: string
    redirect_uris: string[]
    id_token_alg: 'RS256' | 'ES256'
    enabled: boolean
    secrets: {
      hint: string
      created_at: string
      expires_at: string | null
    }[]
    secret_rotation_requested_at: string | null
    created_at: string
    partner_id: string
    revoked_grants: number
  }
  'POST /core/v1/operator/applications/{client_id}/secret': {
    client_secret: string
    previous_expires_at: string
  }
  'POST /core/v1/operator/customers': {
    id: string
    partner_id: string
    name: string
    lab: boolean
    created_at: string
  }
  'GET /core/v1/operator/customers': {
    items: {
      id: string
      partner_id: string
      name: string
      lab: boolean
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/customers/{id}': {
    id: string
    partner_id: string
    name: string
    lab: boolean
    created_at: string
  }
  'PATCH /core/v1/operator/customers/{id}': {
    id: string
    partner_id: string
    name: string
    lab: boolean
    created_at: string
  }
  'POST /core/v1/operator/customers/{id}/users': {
    id: string
    email: string
    name: string
    email_verified: boolean
    role: 'administrator' | 'member'
    active: boolean
    groups: {
      id: string
      name: string
    }[]
    created_at: string
  }
  'GET /core/v1/operator/customers/{id}/users': {
    items: {
      id: string
      email: string
      name: string
      email_verified: boolean
      role: 'administrator' | 'member'
      active: boolean
      groups: {
        id: string
        name: string
      }[]
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/customers/{id}/users/{user_id}': {
    id: string
    email: string
    name: string
    email_verified: boolean
    role: 'administrator' | 'member'
    active: boolean
    groups: {
      id: string
      name: string
    }[]
    created_at: string
  }
  'PATCH /core/v1/operator/customers/{id}/users/{user_id}': {
    id: string
    email: string
    name: string
    email_verified: boolean
    role: 'administrator' | 'member'
    active: boolean
    groups: {
      id: string
      name: string
    }[]
    created_at: string
  }
  'POST /core/v1/operator/customers/{id}/groups': {
    id: string
    customer_id: string
    name: string
    created_at: string
  }
  'GET /core/v1/operator/customers/{id}/groups': {
    items: {
      id: string
      customer_id: string
      name: string
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/customers/{id}/groups/{group_id}': {
    id: string
    customer_id: string
    name: string
    created_at: string
  }
  'GET /core/v1/operator/users': {
    items: {
      id: string
      email: string
      name: string
      email_verified: boolean
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/operator/users/{id}': {
    id: string
    email: string
    name: string
    email_verified: boolean
    created_at: string
  }
  'POST /core/v1/operator/users/{id}/password-reset': {
    link: string
    expires_at: string
  }
  'POST /core/v1/operator/users/{id}/release-email': {
    id: string
    email: string
    name: string
    email_verified: boolean
    created_at: string
  }
  'GET /core/v1/operator/partners/{id}/members': {
    items: {
      id: string
      email: string
      name: string
      created_at: string
    }[]
    next: string | null
  }
  'POST /core/v1/operator/partners/{id}/invitations': {
    id: string
    email: string
    name: string | null
    has_link: boolean
    made_by: {
      kind: 'operator' | 'user' | 'application' | 'api_key'
      id: string | null
      name: string | null
    }
    created_at: string
    expires_at: string
    link: string
  }
  'GET /core/v1/operator/invitations': {
    items: {
      id: string
      email: string
      name: string | null
      has_link: boolean
      made_by: {
        kind: 'operator' | 'user' | 'application' | 'api_key'
        id: string | null
        name: string | null
      }
      created_at: string
      expires_at: string
      customer_id: string | null
      partner_id: string | null
      role: 'administrator' | 'member' | null
      group_ids: string[]
    }[]
    next: string | null
  }
  'POST /core/v1/operator/invitations/{id}/link': {
    id: string
    email: string
    name: string | null
    has_link: boolean
    made_by: {
      kind: 'operator' | 'user' | 'application' | 'api_key'
      id: string | null
      name: string | null
    }
    created_at: string
    expires_at: string
    customer_id: string | null
    partner_id: string | null
    role: 'administrator' | 'member' | null
    group_ids: string[]
    link: string
  }
  'GET /core/v1/operator/audit-events': {
    items: {
      id: string
      type:
        | 'api_key.created'
        | 'api_key.revoked'
        | 'application.changed'
        | 'application.created'
        | 'application.disabled'
        | 'application.enabled'
        | 'approval.changed'
        | 'approval.given'
        | 'approval.withdrawn'
        | 'authorization_code.reused'
        | 'client_secret.rotated'
        | 'client_secret.rotation_requested'
        | 'customer.created'
        | 'customer.renamed'
        | 'device.changed'
        | 'device.claim_failed'
        | 'device.claimed'
        | 'device.registered'
        | 'device.registered_again'
        | 'device.removed'
        | 'device.replace_opened'
        | 'device.updated'
        | 'grant.connected'
        | 'grant.opened'
        | 'grant.revoked'
        | 'group.created'
        | 'group.deleted'
        | 'group.member_added'
        | 'group.member_removed'
        | 'group.renamed'
        | 'hardware_key.added'
        | 'hardware_key.revoked'
        | 'member.added'
        | 'member.changed'
        | 'member.invitation_ended'
        | 'member.invitation_link_ended'
        | 'member.invitation_link_made'
        | 'member.invitation_withdrawn'
        | 'member.invited'
        | 'member.joined'
        | 'member.removed'
        | 'model.changed'
        | 'model.created'
        | 'partner.changed'
        | 'partner.created'
        | 'partner_member.removed'
        | 'password.reset'
        | 'password.reset_link_ended'
        | 'password.reset_link_made'
        | 'refresh_token.replayed'
        | 'session.sign_in_failed'
        | 'session.signed_in'
        | 'session.signed_out'
        | 'session.signed_out_everywhere'
        | 'signing_key.added'
        | 'signing_key.removed'
        | 'space.changed'
        | 'space.created'
        | 'space.deleted'
        | 'user.email_released'
        | 'user.password_change_failed'
        | 'user.password_changed'
        | 'webhook.changed'
        | 'webhook.created'
        | 'webhook.deleted'
        | 'webhook.disabled'
        | 'webhook.secret_rotated'
      at: string
      actor: {
        kind: string
        id?: string
        name?: string
      }
      partner_id?: string
      application_id?: string
      customer_id?: string
      device_id?: string
      details: {
        [key: string]: unknown
      }
    }[]
    next: string | null
  }
  'GET /core/v1/operator/audit-events/{id}': {
    id: string
    type:
      | 'api_key.created'
      | 'api_key.revoked'
      | 'application.changed'
      | 'application.created'
      | 'application.disabled'
      | 'application.enabled'
      | 'approval.changed'
      | 'approval.given'
      | 'approval.withdrawn'
      | 'authorization_code.reused'
      | 'client_secret.rotated'
      | 'client_secret.rotation_requested'
      | 'customer.created'
      | 'customer.renamed'
      | 'device.changed'
      | 'device.claim_failed'
      | 'device.claimed'
      | 'device.registered'
      | 'device.registered_again'
      | 'device.removed'
      | 'device.replace_opened'
      | 'device.updated'
      | 'grant.connected'
      | 'grant.opened'
      | 'grant.revoked'
      | 'group.created'
      | 'group.deleted'
      | 'group.member_added'
      | 'group.member_removed'
      | 'group.renamed'
      | 'hardware_key.added'
      | 'hardware_key.revoked'
      | 'member.added'
      | 'member.changed'
      | 'member.invitation_ended'
      | 'member.invitation_link_ended'
      | 'member.invitation_link_made'
      | 'member.invitation_withdrawn'
      | 'member.invited'
      | 'member.joined'
      | 'member.removed'
      | 'model.changed'
      | 'model.created'
      | 'partner.changed'
      | 'partner.created'
      | 'partner_member.removed'
      | 'password.reset'
      | 'password.reset_link_ended'
      | 'password.reset_link_made'
      | 'refresh_token.replayed'
      | 'session.sign_in_failed'
      | 'session.signed_in'
      | 'session.signed_out'
      | 'session.signed_out_everywhere'
      | 'signing_key.added'
      | 'signing_key.removed'
      | 'space.changed'
      | 'space.created'
      | 'space.deleted'
      | 'user.email_released'
      | 'user.password_change_failed'
      | 'user.password_changed'
      | 'webhook.changed'
      | 'webhook.created'
      | 'webhook.deleted'
      | 'webhook.disabled'
      | 'webhook.secret_rotated'
    at: string
    actor: {
      kind: string
      id?: string
      name?: string
    }
    partner_id?: string
    application_id?: string
    customer_id?: string
    device_id?: string
    details: {
      [key: string]: unknown
    }
  }
  'GET /core/v1/operator/signing-keys': {
    items: {
      kid: string
      alg: 'RS256' | 'ES256'
      state: 'published' | 'signing' | 'retired'
      created_at: string
      signs_from: string
      signs_until: string | null
      published_until: string | null
    }[]
    next: null
  }
  'POST /core/v1/operator/signing-keys': {
    kid: string
    alg: 'RS256' | 'ES256'
    state: 'published' | 'signing' | 'retired'
    created_at: string
    signs_from: string
    signs_until: string | null
    published_until: string | null
  }
  'GET /core/v1/operator/limits': {
    items: {
      what: string
      per: string
      max: number
      window_seconds: number
    }[]
    bounds: {
      what: string
      max: number
      unit: 'characters' | 'seconds'
    }[]
    next: null
  }
  'GET /core/v1/partner/info': {
    id: string
    name: string
    portal_domain: string | null
    accent_color: string | null
    logo: string | null
    lab_customer_id: string | null
    created_at: string
  }
  'PATCH /core/v1/partner/info': {
    id: string
    name: string
    portal_domain: string | null
    accent_color: string | null
    logo: string | null
    lab_customer_id: string | null
    created_at: string
  }
  'GET /core/v1/partner/applications': {
    items: {
      client_id: string
      name: string
      redirect_uris: string[]
      id_token_alg: 'RS256' | 'ES256'
      enabled: boolean
      secrets: {
        hint: string
        created_at: string
        expires_at: string | null
      }[]
      secret_rotation_requested_at: string | null
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/partner/applications/{client_id}': {
    client_id: string
    name: string
    redirect_uris: string[]
    id_token_alg: 'RS256' | 'ES256'
    enabled: boolean
    secrets: {
      hint: string
      created_at: string
      expires_at: string | null
    }[]
    secret_rotation_requested_at: string | null
    created_at: string
  }
  'PATCH /core/v1/partner/applications/{client_id}': {
    client_id: string
    name: string
    redirect_uris: string[]
    id_token_alg: 'RS256' | 'ES256'
    enabled: boolean
    secrets: {
      hint: string
      created_at: string
      expires_at: string | null
    }[]
    secret_rotation_requested_at: string | null
    created_at: string
  }
  'POST /core/v1/partner/applications/{client_id}/secret-rotation': {
    client_id: string
    name: string
    redirect_uris: string[]
    id_token_alg: 'RS256' | 'ES256'
    enabled: boolean
    secrets: {
      hint: string
      created_at: string
      expires_at: string | null
    }[]
    secret_rotation_requested_at: string | null
    created_at: string
  }
  'GET /core/v1/partner/models': {
    items: {
      id: string
      name: string
      authentication_method: 'MAC & Serial Number'
      offline_after_seconds: number
      created_at: string
    }[]
    next: string | null
  }
  'POST /core/v1/partner/models': {
    id: string
    name: string
    authentication_method: 'MAC & Serial Number'
    offline_after_seconds: number
    created_at: string
    hardware_key: string
  }
  'GET /core/v1/partner/models/{id}': {
    id: string
    name: string
    authentication_method: 'MAC & Serial Number'
    offline_after_seconds: number
    created_at: string
  }
  'PATCH /core/v1/partner/models/{id}': {
    id: string
    name: string
    authentication_method: 'MAC & Serial Number'
    offline_after_seconds: number
    created_at: string
  }
  'GET /core/v1/partner/models/{id}/hardware-keys': {
    items: {
      id: string
      hardware_key: string
      uses: number
      last_used_at: string | null
      created_at: string
      revoked_at: string | null
    }[]
    next: null
  }
  'POST /core/v1/partner/models/{id}/hardware-keys': {
    id: string
    hardware_key: string
    uses: number
    last_used_at: string | null
    created_at: string
    revoked_at: string | null
  }
  'GET /core/v1/partner/devices': {
    items: {
      id: string
      model_id: string
      mac: string
      sn: string
      firmware_version: string
      status: 'never_seen' | 'online' | 'offline' | 'error'
      status_at: string
      last_seen_at: string | null
      registered_at: string
      claimed_at: string | null
      replace_until: string | null
      claimed: boolean
    }[]
    next: string | null
  }
  'GET /core/v1/partner/devices/{id}': {
    id: string
    model_id: string
    mac: string
    sn: string
    firmware_version: string
    status: 'never_seen' | 'online' | 'offline' | 'error'
    status_at: string
    last_seen_at: string | null
    registered_at: string
    claimed_at: string | null
    replace_until: string | null
    claimed: boolean
    state: {
      [key: string]: {
        value: number | string | boolean
        at: string
      }
    }
  }
  'GET /core/v1/partner/static-certificate': {
    url: string
    certificate: string
    sha256_fingerprint: string
  }
  'POST /core/v1/partner/devices/{id}/replace': {
    replace_until: string
  }
  'GET /core/v1/partner/devices/{id}/history': {
    items: {
      message_id: string | null
      timestamp: string
      received_at: string
      status: string
      telemetries: {
        [key: string]: number | string | boolean
      }
    }[]
    next: string | null
  }
  'GET /core/v1/partner/devices/{id}/series': {
    from: string
    to: string
    bucket_seconds: number
    series: {
      [key: string]: {
        at: string
        min: number
        max: number
        avg: number
        count: number
      }[]
    }
  }
  'GET /core/v1/partner/integration-log': {
    items: {
      id: string
      at: string
      request_id: string
      endpoint: string
      status: number
      error: string
      description: string | null
      reason: string
      detail: string | null
      advice: string
      application_id: string | null
      model_id: string | null
      device_id: string | null
    }[]
    next: string | null
  }
  'GET /core/v1/partner/webhooks': {
    items: {
      id: string
      url: string
      description: string | null
      events: string[]
      enabled: boolean
      disabled_at: string | null
      disabled_because: 'by_partner' | 'gone' | 'failing' | null
      failing_since: string | null
      previous_secret_expires_at: string | null
      created_at: string
    }[]
    next: string | null
  }
  'POST /core/v1/partner/webhooks': {
    id: string
    url: string
    description: string | null
    events: string[]
    enabled: boolean
    disabled_at: string | null
    disabled_because: 'by_partner' | 'gone' | 'failing' | null
    failing_since: string | null
    previous_secret_expires_at: string | null
    created_at: string
    secret: string
  }
  'GET /core/v1/partner/webhooks/{id}': {
    id: string
    url: string
    description: string | null
    events: string[]
    enabled: boolean
    disabled_at: string | null
    disabled_because: 'by_partner' | 'gone' | 'failing' | null
    failing_since: string | null
    previous_secret_expires_at: string | null
    created_at: string
  }
  'PATCH /core/v1/partner/webhooks/{id}': {
    id: string
    url: string
    description: string | null
    events: string[]
    enabled: boolean
    disabled_at: string | null
    disabled_because: 'by_partner' | 'gone' | 'failing' | null
    failing_since: string | null
    previous_secret_expires_at: string | null
    created_at: string
  }
  'POST /core/v1/partner/webhooks/{id}/secret': {
    secret: string
    previous_secret_expires_at: string | null
  }
  'GET /core/v1/partner/webhooks/{id}/deliveries': {
    items: {
      event_id: string
      type: string
      state: 'pending' | 'delivered' | 'failed'
      queued_at: string
      attempts: number
      next_attempt_at: string | null
      next_attempt_reason: 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing' | null
      attempted_at: string | null
      response_status: number | null
      failure: string | null
      duration_ms: number | null
      payload: string
    }[]
    next: string | null
  }
  'POST /core/v1/partner/webhooks/{id}/deliveries/{event_id}/redeliver': {
    event_id: string
    type: string
    state: 'pending' | 'delivered' | 'failed'
    queued_at: string
    attempts: number
    next_attempt_at: string | null
    next_attempt_reason: 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing' | null
    attempted_at: string | null
    response_status: number | null
    failure: string | null
    duration_ms: number | null
    payload: string
  }
  'POST /core/v1/partner/webhooks/{id}/test': {
    event_id: string
    type: string
    state: 'pending' | 'delivered' | 'failed'
    queued_at: string
    attempts: number
    next_attempt_at: string | null
    next_attempt_reason: 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing' | null
    attempted_at: string | null
    response_status: number | null
    failure: string | null
    duration_ms: number | null
    payload: string
  }
  'GET /core/v1/partner/members': {
    items: {
      id: string
      email: string
      name: string
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/partner/members/{id}': {
    id: string
    email: string
    name: string
    created_at: string
  }
  'GET /core/v1/partner/invitations': {
    items: {
      id: string
      email: string
      name: string | null
      has_link: boolean
      made_by: {
        kind: 'operator' | 'user' | 'application' | 'api_key'
        id: string | null
        name: string | null
      }
      created_at: string
      expires_at: string
    }[]
    next: string | null
  }
  'POST /core/v1/partner/invitations': {
    id: string
    email: string
    name: string | null
    has_link: boolean
    made_by: {
      kind: 'operator' | 'user' | 'application' | 'api_key'
      id: string | null
      name: string | null
    }
    created_at: string
    expires_at: string
    link: string
  }
  'POST /core/v1/partner/invitations/{id}/link': {
    id: string
    email: string
    name: string | null
    has_link: boolean
    made_by: {
      kind: 'operator' | 'user' | 'application' | 'api_key'
      id: string | null
      name: string | null
    }
    created_at: string
    expires_at: string
    link: string
  }
  'GET /core/v1/partner/audit-events': {
    items: {
      id: string
      type:
        | 'api_key.created'
        | 'api_key.revoked'
        | 'application.changed'
        | 'application.created'
        | 'application.disabled'
        | 'application.enabled'
        | 'approval.changed'
        | 'approval.given'
        | 'approval.withdrawn'
        | 'authorization_code.reused'
        | 'client_secret.rotated'
        | 'client_secret.rotation_requested'
        | 'customer.created'
        | 'customer.renamed'
        | 'device.changed'
        | 'device.claim_failed'
        | 'device.claimed'
        | 'device.registered'
        | 'device.registered_again'
        | 'device.removed'
        | 'device.replace_opened'
        | 'device.updated'
        | 'grant.connected'
        | 'grant.opened'
        | 'grant.revoked'
        | 'group.created'
        | 'group.deleted'
        | 'group.member_added'
        | 'group.member_removed'
        | 'group.renamed'
        | 'hardware_key.added'
        | 'hardware_key.revoked'
        | 'member.added'
        | 'member.changed'
        | 'member.invitation_ended'
        | 'member.invitation_link_ended'
        | 'member.invitation_link_made'
        | 'member.invitation_withdrawn'
        | 'member.invited'
        | 'member.joined'
        | 'member.removed'
        | 'model.changed'
        | 'model.created'
        | 'partner.changed'
        | 'partner.created'
        | 'partner_member.removed'
        | 'password.reset'
        | 'password.reset_link_ended'
        | 'password.reset_link_made'
        | 'refresh_token.replayed'
        | 'session.sign_in_failed'
        | 'session.signed_in'
        | 'session.signed_out'
        | 'session.signed_out_everywhere'
        | 'signing_key.added'
        | 'signing_key.removed'
        | 'space.changed'
        | 'space.created'
        | 'space.deleted'
        | 'user.email_released'
        | 'user.password_change_failed'
        | 'user.password_changed'
        | 'webhook.changed'
        | 'webhook.created'
        | 'webhook.deleted'
        | 'webhook.disabled'
        | 'webhook.secret_rotated'
      at: string
      actor: {
        kind: string
        id?: string
      }
      partner_id?: string
      application_id?: string
      customer_id?: string
      device_id?: string
      details: {
        [key: string]: unknown
      }
    }[]
    next: string | null
  }
  'GET /core/v1/partner/api-keys': {
    items: {
      id: string
      name: string
      hint: string
      created_by: string | null
      created_at: string
      last_used_at: string | null
    }[]
    next: string | null
  }
  'POST /core/v1/partner/api-keys': {
    id: string
    name: string
    hint: string
    created_by: string | null
    created_at: string
    last_used_at: string | null
    key: string
  }
  'GET /core/v1/partner/api-keys/{id}': {
    id: string
    name: string
    hint: string
    created_by: string | null
    created_at: string
    last_used_at: string | null
  }
  'GET /core/v1/session': {
    user: {
      id: string
      name: string
      email: string
    }
    customers: {
      id: string
      name: string
      lab: boolean
      role: 'administrator' | 'member'
    }[]
    partners: {
      id: string
      name: string
    }[]
  }
  'GET /core/v1/organization/info': {
    id: string
    name: string
    lab: boolean
    created_at: string
    counts: {
      users: number
      groups: number
      spaces: number
      devices: number
    }
  }
  'GET /core/v1/organization/users': {
    items: {
      id: string
      email: string
      name: string
      email_verified: boolean
      role: 'administrator' | 'member'
      active: boolean
      groups: {
        id: string
        name: string
      }[]
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/organization/users/{id}': {
    id: string
    email: string
    name: string
    email_verified: boolean
    role: 'administrator' | 'member'
    active: boolean
    groups: {
      id: string
      name: string
    }[]
    created_at: string
  }
  'PATCH /core/v1/organization/users/{id}': {
    id: string
    email: string
    name: string
    email_verified: boolean
    role: 'administrator' | 'member'
    active: boolean
    groups: {
      id: string
      name: string
    }[]
    created_at: string
  }
  'POST /core/v1/organization/invitations': {
    id: string
    email: string
    name: string | null
    has_link: boolean
    made_by: {
      kind: 'operator' | 'user' | 'application' | 'api_key'
      id: string | null
      name: string | null
    }
    created_at: string
    expires_at: string
    role: 'administrator' | 'member'
    group_ids: string[]
    link: string | null
  }
  'GET /core/v1/organization/invitations': {
    items: {
      id: string
      email: string
      name: string | null
      has_link: boolean
      made_by: {
        kind: 'operator' | 'user' | 'application' | 'api_key'
        id: string | null
        name: string | null
      }
      created_at: string
      expires_at: string
      role: 'administrator' | 'member'
      group_ids: string[]
    }[]
    next: string | null
  }
  'POST /core/v1/organization/invitations/{id}/link': {
    id: string
    email: string
    name: string | null
    has_link: boolean
    made_by: {
      kind: 'operator' | 'user' | 'application' | 'api_key'
      id: string | null
      name: string | null
    }
    created_at: string
    expires_at: string
    role: 'administrator' | 'member'
    group_ids: string[]
    link: string
  }
  'POST /core/v1/organization/users/{id}/password-reset': {
    link: string
    expires_at: string
  }
  'GET /core/v1/organization/groups': {
    items: {
      id: string
      name: string
      created_at: string
    }[]
    next: string | null
  }
  'POST /core/v1/organization/groups': {
    id: string
    name: string
    created_at: string
  }
  'GET /core/v1/organization/groups/{id}': {
    id: string
    name: string
    created_at: string
  }
  'PATCH /core/v1/organization/groups/{id}': {
    id: string
    name: string
    created_at: string
  }
  'GET /core/v1/organization/groups/{id}/members': {
    items: {
      id: string
      email: string
      name: string
      email_verified: boolean
      role: 'administrator' | 'member'
      active: boolean
      groups: {
        id: string
        name: string
      }[]
      created_at: string
    }[]
    next: string | null
  }
  'GET /core/v1/organization/spaces': {
    items: {
      id: string
      parent_id: string | null
      name: string
      synced: boolean
      synced_by: string | null
      created_at: string
    }[]
    next: string | null
  }
  'POST /core/v1/organization/spaces': {
    id: string
    parent_id: string | null
    name: string
    synced: boolean
    synced_by: string | null
    created_at: string
  }
  'POST /core/v1/organization/spaces/find-or-create': {
    id: string
    parent_id: string | null
    name: string
    synced: boolean
    synced_by: string | null
    created_at: string
  }
  'GET /core/v1/organization/spaces/{id}': {
    id: string
    parent_id: string | null
    name: string
    synced: boolean
    synced_by: string | null
    created_at: string
  }
  'PATCH /core/v1/organization/spaces/{id}': {
    id: string
    parent_id: string | null
    name: string
    synced: boolean
    synced_by: string | null
    created_at: string
  }
  'GET /core/v1/organization/devices': {
    items: {
      id: string
      model_id: string
      mac: string
      sn: string
      firmware_version: string
      status: 'never_seen' | 'online' | 'offline' | 'error'
      status_at: string
      last_seen_at: string | null
      registered_at: string
      claimed_at: string | null
      replace_until: string | null
      name: string | null
      space_id: string | null
    }[]
    next: string | null
  }
  'POST /core/v1/organization/devices/claim': {
    id: string
    model_id: string
    mac: string
    sn: string
    firmware_version: string
    status: 'never_seen' | 'online' | 'offline' | 'error'
    status_at: string
    last_seen_at: string | null
    registered_at: string
    claimed_at: string | null
    replace_until: string | null
    name: string | null
    space_id: string | null
  }
  'GET /core/v1/organization/devices/{id}': {
    id: string
    model_id: string
    mac: string
    sn: string
    firmware_version: string
    status: 'never_seen' | 'online' | 'offline' | 'error'
    status_at: string
    last_seen_at: string | null
    registered_at: string
    claimed_at: string | null
    replace_until: string | null
    name: string | null
    space_id: string | null
    state: {
      [key: string]: {
        value: number | string | boolean
        at: string
      }
    }
  }
  'PATCH /core/v1/organization/devices/{id}': {
    id: string
    model_id: string
    mac: string
    sn: string
    firmware_version: string
    status: 'never_seen' | 'online' | 'offline' | 'error'
    status_at: string
    last_seen_at: string | null
    registered_at: string
    claimed_at: string | null
    replace_until: string | null
    name: string | null
    space_id: string | null
  }
  'POST /core/v1/organization/devices/{id}/replace': {
    replace_until: string
  }
  'GET /core/v1/organization/devices/{id}/history': {
    items: {
      message_id: string | null
      timestamp: string
      received_at: string
      status: string
      telemetries: {
        [key: string]: number | string | boolean
      }
    }[]
    next: string | null
  }
  'GET /core/v1/organization/devices/{id}/series': {
    from: string
    to: string
    bucket_seconds: number
    series: {
      [key: string]: {
        at: string
        min: number
        max: number
        avg: number
        count: number
      }[]
    }
  }
  'GET /core/v1/organization/devices/counts': {
    never_seen: number
    online: number
    offline: number
    error: number
  }
  'GET /core/v1/organization/models': {
    items: {
      id: string
      name: string
      partner_name: string
    }[]
    next: string | null
  }
  'GET /core/v1/organization/audit-events': {
    items: {
      id: string
      type:
        | 'api_key.created'
        | 'api_key.revoked'
        | 'approval.changed'
        | 'approval.given'
        | 'approval.withdrawn'
        | 'authorization_code.reused'
        | 'customer.created'
        | 'customer.renamed'
        | 'device.changed'
        | 'device.claim_failed'
        | 'device.claimed'
        | 'device.removed'
        | 'device.replace_opened'
        | 'device.updated'
        | 'grant.connected'
        | 'grant.opened'
        | 'grant.revoked'
        | 'group.created'
        | 'group.deleted'
        | 'group.member_added'
        | 'group.member_removed'
        | 'group.renamed'
        | 'member.added'
        | 'member.changed'
        | 'member.invitation_ended'
        | 'member.invitation_link_ended'
        | 'member.invitation_link_made'
        | 'member.invitation_withdrawn'
        | 'member.invited'
        | 'member.joined'
        | 'member.removed'
        | 'partner.created'
        | 'password.reset_link_ended'
        | 'password.reset_link_made'
        | 'refresh_token.replayed'
        | 'space.changed'
        | 'space.created'
        | 'space.deleted'
      at: string
      actor: {
        kind: string
        id?: string
      }
      partner_id?: string
      application_id?: string
      customer_id?: string
      device_id?: string
      details: {
        [key: string]: unknown
      }
    }[]
    next: string | null
  }
  'GET /core/v1/organization/api-keys': {
    items: {
      id: string
      name: string
      hint: string
      created_by: string | null
      created_at: string
      last_used_at: string | null
    }[]
    next: string | null
  }
  'POST /core/v1/organization/api-keys': {
    id: string
    name: string
    hint: string
    created_by: string | null
    created_at: string
    last_used_at: string | null
    key: string
  }
  'GET /core/v1/organization/api-keys/{id}': {
    id: string
    name: string
    hint: string
    created_by: string | null
    created_at: string
    last_used_at: string | null
  }
  'GET /core/v1/organization/connected-apps': {
    items: {
      client_id: string
      name: string
      partner_name: string
      enabled: boolean
      policy: {
        kind: string
        group_id: string | null
        group_name: string | null
      }
      approved_at: string
      approved_by: {
        id: string
        name: string
        email: string
      } | null
      connected_at: string | null
      last_used_at: string | null
      user_count: number
      users: {
        id: string
        name: string
        email: string
        connected_at: string
      }[]
    }[]
    next: string | null
  }
  'GET /core/v1/organization/connected-apps/{client_id}': {
    client_id: string
    name: string
    partner_name: string
    enabled: boolean
    policy: {
      kind: string
      group_id: string | null
      group_name: string | null
    }
    approved_at: string
    approved_by: {
      id: string
      name: string
      email: string
    } | null
    connected_at: string | null
    last_used_at: string | null
    user_count: number
    users: {
      id: string
      name: string
      email: string
      connected_at: string
    }[]
  }
  'PATCH /core/v1/organization/connected-apps/{client_id}': {
    client_id: string
    name: string
    partner_name: string
    enabled: boolean
    policy: {
      kind: string
      group_id: string | null
      group_name: string | null
    }
    approved_at: string
    approved_by: {
      id: string
      name: string
      email: string
    } | null
    connected_at: string | null
    last_used_at: string | null
    user_count: number
    users: {
      id: string
      name: string
      email: string
      connected_at: string
    }[]
    tokens: 'stay' | 'revoked' | 'none'
  }
  'DELETE /core/v1/organization/connected-apps/{client_id}': {
    client_id: string
    grant_revoked: boolean
    spaces_released: number
  }
}
