/**
 * Why a request was refused, and what the partner's engineer can do about it. The response itself says no more than the
 * contract allows; the integration log adds this.
 */
export const failureReasons = {
  // Authorization endpoint (contract 7.1 and 7.2)
  application_disabled:
    'The operator has disabled this application. Ask the operator why; once it is enabled again every customer must connect again.',
  redirect_uri_missing:
    'Send redirect_uri with the authorization request: one of those registered for the application.',
  redirect_uri_not_registered:
    'The value must equal a registered redirect URI byte for byte: scheme, host, port, path, trailing slash and query. Register this one, or send a registered one.',
  state_too_long: 'Keep state within 512 characters: send a random key, and store what it refers to in your session.',
  no_portal_domain:
    'Your company has no customer portal domain, so the consent screen has no address. Ask the operator to set one.',
  parameter_missing: 'Send the required parameter that the response names.',
  parameter_repeated: 'Send each parameter once. The response names the one that was repeated.',
  parameter_invalid: 'Correct the parameter that the response names.',
  scope_not_allowed: 'Only the scopes openid, profile and email exist.',
  response_type_unsupported: 'Only the code flow is supported: send response_type=code.',
  user_declined:
    'The person declined. Explain what the connection is for and let them try again; do not retry automatically.',
  interaction_needed:
    'prompt=none was sent, but the person has to sign in or to choose. Send the request again without it.',

  // Token and revocation endpoints (contract 7.3 and 7.4)
  body_not_form: 'Send the body as application/x-www-form-urlencoded; JSON is refused.',
  credentials_missing: 'Send client_id and client_secret, either in the body or as HTTP Basic.',
  credentials_differ: 'The credentials in the Authorization header and in the body differ. Send them only once.',
  client_unknown: 'No application has this client_id: copy it from the partner portal.',
  secret_wrong:
    'The client secret is not one of the valid ones. After a rotation the previous one works until its overlap ends: deploy the new one, or ask the operator for a rotation if it is lost.',
  grant_type_unsupported: 'grant_type must be authorization_code or refresh_token.',
  code_unknown: 'No such code was issued. It may have been truncated, or decoded twice, on its way from the redirect.',
  code_of_another_application:
    'The code was issued to another application. Check that the client_id matches the one that sent the person.',
  code_expired:
    'A code is valid for 60 seconds. Exchange it as soon as the redirect arrives; after that, start a new authorization request.',
  code_used:
    'The code was already exchanged. Look for a double submit: a reloaded callback page, a retry, or two workers handling one redirect.',
  verifier_mismatch:
    'code_verifier does not hash to the code_challenge that was sent. Keep the verifier with the state, and send BASE64URL(SHA256(verifier)) without padding as the challenge.',
  verifier_attempts_exceeded:
    'Five wrong verifiers were sent for one code, so it was invalidated. Start a new authorization request.',
  redirect_uri_differs: 'redirect_uri must be the same as in the authorization request.',
  refresh_unknown: 'No such refresh token was issued. It may have been truncated where it is stored.',
  refresh_of_another_application:
    'The refresh token belongs to another application. Use the credentials of the application it was issued to.',
  refresh_expired: 'A refresh token is valid for 90 days. The customer has to connect again.',
  refresh_rotated_retry:
    'The refresh token was rotated less than 60 seconds ago. The response was lost, or two workers refresh at once: run one refresh at a time per connection, and store the new token before using it.',
  refresh_replayed:
    'A refresh token was used again more than 60 seconds after its rotation, so the whole grant was revoked. Find out who keeps old tokens: a restored backup, a second store, a leak. The customer has to connect again.',
  grant_revoked:
    'The grant was revoked: by the customer, by your own call of the revocation endpoint, by a replayed refresh token, or because the application was disabled. Delete the tokens and let the customer connect again.',
  scope_widened: 'A refresh may only narrow the scope. Ask for more with a new authorization request.',
  signing_unavailable:
    'The service had no key to sign the id_token with. The code or refresh token is still valid: retry with back-off, and inform the operator.',
  rate_limited: 'Too many requests within a minute. Back off with jitter, and do not refresh earlier than needed.',

  // Userinfo and the organization API (contract 7.5 and 7.7)
  token_expired: 'An access token is valid for one hour. Refresh once and retry.',
  organization_refused:
    'The organization API refused this request; its response says what is wrong. An id of another customer gets the same response as one that does not exist.',
  not_approved:
    'The administrators of this customer did not approve the application for the permission that is named. Go on without it, or ask them to approve it in the customer portal, under Connected apps. Do not retry.',
  scope_lacks_openid:
    'The access token has no openid scope. Add openid to the authorization request and authorize again.',

  // Device connector
  body_compressed: 'Send the body without Content-Encoding: compressed bodies are not supported.',
  body_not_json: 'Send well-formed JSON with Content-Type: application/json.',
  model_unknown: 'No model of yours has this device_model: copy the Model ID from the partner portal.',
  hardware_key_wrong: 'This model has no such hardware key: copy the first one from the Hardware Keys tab.',
  hardware_key_revoked: 'The hardware key was revoked. Give the devices one that is listed on the Hardware Keys tab.',
  fields_invalid: 'Fix the fields named in the response.',
  registrations_limited:
    'Too many registrations from this address were refused within a minute. Fix what the earlier entries say, and wait a minute.',
  registrations_of_key_limited:
    'More devices registered with this hardware key within a minute than one key may. Let the others wait for Retry-After. If these were not yours, the key has leaked: revoke it, and give your devices another.',
  already_registered:
    'The device has already registered and used its key. Use the stored access_key; if it is lost, open a replace window and register again within the hour.',
  identity_taken: 'Another device of this model has this MAC or serial number. Each pair is one device.',
  access_key_wrong:
    'This is not the current access key of the device. After it registers again, only the newest key works.',
  device_unknown: 'No device has this id.',
  device_removed:
    'The device was removed: by its customer, by you, or because it was not used for a year after its registration. Stop sending; if it comes back, register it again.',
  device_moved:
    'Another hub serves this device now. The response has its address: send this message and all that follow there, and store it. Firmware that cannot follow has to register again.',
  telemetry_invalid: 'Fix the data points named in the response. Nothing of this message was stored.',
  message_too_large:
    'A message may be up to 128 KiB, a mass call up to 8 MiB. Send fewer data points or devices at once.',
  overloaded: 'The service was too busy. Nothing of the request was stored: send it again after Retry-After.',
  storage_full:
    'The disk of the service is full, and its operator has to make room. Nothing was stored: keep the message, and send it again later.',
  unknown_outcome:
    'The database was lost before it confirmed, so nobody knows whether the request was stored. Send the same again: a message with a message_id, or at least a timestamp, is stored once, and a device that registers again keeps its id until it has used its key.',
  unavailable: 'The service could not reach its database. Send the same request again after Retry-After.',
  internal: 'The service failed. Send the request ID to the operator.',
  topic_not_allowed:
    'A device may only publish to its own topics: v1/devices/<device id>/telemetry, …/command/<command id> and …/config.',
  command_calls_limited:
    'The device asked for its commands, or reported them, more than 600 times within a minute. Ask with ?wait=25, which responds as soon as there is a command.',
  report_invalid: 'Fix the fields of the report that are named in the response. Nothing of it was stored.',
  report_refused:
    'The report names a command that is not the device’s, or one that has ended otherwise; the response says which. The first final report counts: do not send this one again.',
  settings_refused:
    'Nobody has claimed the device, or its settings were changed meanwhile. The response has the newest version: apply it, and send the change again with that version if it is still right.',
  settings_calls_limited:
    'The device asked for its settings, or reported them, more than 600 times within a minute, or changed them more than 60 times. Ask only when config_version in the response to telemetry has changed.',
  client_id_wrong:
    'Over MQTT the client id and the user name are both the device id, and the password is its access_key.',
  mqtt_unsupported:
    'The device used a part of MQTT that is not supported, or broke the protocol; the response says which. Publish with QoS 0 or 1, not retained, with at most 64 unacknowledged messages; subscribe to v1/devices/<device id>/command and …/config only, without a subscription identifier.',

  // Webhooks
  webhook_gone:
    'The endpoint responded with 410 Gone, which asks to stop sending, so it was disabled. Enable it again if that was a mistake.',
  webhook_disabled:
    'Nothing was delivered for a day, so the endpoint was disabled. Fix it, enable it again and redeliver what it missed.',
} as const

export type FailureReason = keyof typeof failureReasons

export function isFailureReason(code: string | undefined): code is FailureReason {
  return code !== undefined && code in failureReasons
}

export function adviceFor(reason: string): string {
  return failureReasons[reason as FailureReason] ?? 'Send the request ID to the operator.'
}
