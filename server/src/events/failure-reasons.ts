/**
 * The private why behind a refusal, and what a partner's engineer can do about it. The client is told as little as the
 * spec says; its partner is told this.
 */
export const failureReasons = {
  // Authorization endpoint, 7.1 and 7.2
  application_disabled:
    'The operator has disabled this application. Ask the operator why; once it is enabled again every customer must connect again.',
  redirect_uri_missing:
    'Send redirect_uri with the authorization request, one of those registered for the application.',
  redirect_uri_not_registered:
    'The value must equal a registered redirect URI byte for byte: scheme, host, port, path, trailing slash and query. Register this one, or send one that is.',
  state_too_long: 'Keep state within 512 characters: send a random key, and keep what it stands for in your session.',
  no_portal_domain:
    'Your company has no customer portal domain, so there is nowhere to show the consent screen. Ask the operator to set one.',
  parameter_missing: 'A required parameter is absent or empty; the description names it.',
  parameter_repeated: 'A parameter was sent twice. Send each one once.',
  parameter_invalid:
    'A parameter has a value the service does not take; the description names it and says what would be right.',
  scope_not_allowed: 'Ask for no scopes but openid, profile and email.',
  response_type_unsupported: 'Only the code flow is served: send response_type=code.',
  user_declined:
    'The person declined. Tell them what the connection is for and let them try again; do not retry by yourself.',
  interaction_needed:
    'prompt=none was sent, but the person has to sign in or choose. Send the request again without it.',

  // Token and revocation endpoints, 7.3 and 7.4
  body_not_form: 'Send the body as application/x-www-form-urlencoded; JSON is refused.',
  credentials_missing: 'Send client_id and client_secret, either in the body or as HTTP Basic.',
  credentials_differ:
    'The credentials in the Authorization header and in the body differ. Send them in one place only.',
  client_unknown: 'No application has this client_id: copy it from the partner portal.',
  secret_wrong:
    'The client secret is not one of the valid ones. After a rotation the former one ends with its overlap: deploy the new one, or ask the operator for a rotation if it is lost.',
  grant_type_unsupported: 'grant_type must be authorization_code or refresh_token.',
  code_unknown: 'No such code was issued. It may have been cut off, or decoded twice, on its way from the redirect.',
  code_of_another_application:
    'The code was issued to another application. Check that the client_id matches the one that sent the person.',
  code_expired:
    'A code lives 60 seconds. Exchange it as soon as the redirect arrives; if it is late, start a new authorization request.',
  code_used:
    'The code was already exchanged. Look for a double submit: a reloaded callback page, a retry, or two workers handling one redirect.',
  verifier_mismatch:
    'code_verifier does not hash to the code_challenge that was sent. Keep the verifier with the state, and send BASE64URL(SHA256(verifier)) without padding as the challenge.',
  verifier_attempts_exceeded:
    'Five wrong verifiers were sent for one code, so it was spent. Start a new authorization request.',
  redirect_uri_differs: 'redirect_uri must be the very one of the authorization request.',
  refresh_unknown: 'No such refresh token was issued. It may have been cut off where it is stored.',
  refresh_of_another_application:
    'The refresh token belongs to another application. Use the credentials it was issued to.',
  refresh_expired: 'A refresh token lives 90 days from its issue. The customer has to connect again.',
  refresh_rotated_retry:
    'The refresh token was rotated less than 60 seconds ago. The answer was lost, or two workers refresh at once: keep one refresh in flight for each connection and store the new token before using it.',
  refresh_replayed:
    'A refresh token was used again more than 60 seconds after its rotation, so the whole grant was revoked. Find who keeps old tokens: a restored backup, a second store, a leak. The customer has to connect again.',
  grant_revoked:
    'The grant was revoked: by the customer, by your own call of the revocation endpoint, by a replayed refresh token, or because the application was disabled. Delete the tokens and let the customer connect again.',
  scope_widened: 'A refresh may only narrow the scope. Ask for more with a new authorization request.',
  signing_unavailable:
    'The service had no key to sign the id_token with. Nothing was spent: retry with back-off, and tell the operator.',
  rate_limited: 'Too many requests in a minute. Back off with jitter, and do not refresh ahead of need.',

  // Userinfo and the organization API, 7.5 and 7.7
  token_expired: 'An access token lives an hour. Refresh once and retry.',
  organization_refused:
    'The organization API turned this down; the application was told what is wrong and what would be right. An id that is not of this customer is answered like one that does not exist.',
  scope_lacks_openid: 'The authorization did not ask for openid. Add it and authorize again; this token will not do.',

  // Device connector
  body_not_json: 'Send well-formed JSON with Content-Type: application/json.',
  model_unknown: 'device_model is none of your models: copy the Model ID from the partner portal.',
  hardware_key_wrong: 'The hardware key is not one of this model: copy the first one of the Hardware Keys tab.',
  hardware_key_revoked: 'The hardware key was revoked. Give the devices one that is listed on the Hardware Keys tab.',
  fields_invalid: 'A field was not taken; the details name each one and say what would be right.',
  already_registered:
    'The device has already registered and used its key. Use the stored access_key; if it is lost, open a replace window and register again within the hour.',
  identity_taken: 'Another device of this model has this MAC or serial number. Each pair is one device.',
  access_key_wrong:
    'The access key is not the one this device was given last. After registering again only the newest key works.',
  device_unknown: 'No device has this id.',
  device_removed:
    'The device was removed by its customer or by you. Stop sending; if it comes back, register it again.',
  telemetry_invalid: 'The message was not taken; the details name the key and say what would be right.',
  message_too_large: 'A message holds at most 128 KiB, a mass call 8 MiB. Send fewer data points or devices at once.',
  overloaded: 'The service was too busy to commit the message. Nothing was stored: send it again after Retry-After.',
  topic_not_allowed: 'A device may use its own topics only: v1/devices/<its id>/telemetry.',
  client_id_wrong:
    'Over MQTT the client id and the user name are both the device id, and the password is its access_key.',
  mqtt_unsupported:
    'The device asked for something of MQTT that is not offered here, or broke the protocol: the description says what. Publish with QoS 0 or 1, not retained, and at most 64 messages ahead of their acknowledgement; do not subscribe.',

  // Webhooks
  webhook_failed:
    'The endpoint did not answer 2xx. The delivery log has the status and the time it took; redeliver when it is mended.',
  webhook_gone:
    'The endpoint answered 410 Gone, which asks for no more events, so it was disabled. Enable it again if that was a mistake.',
  webhook_disabled:
    'Nothing was delivered for a day, so the endpoint was disabled. Mend it, enable it again and redeliver what it missed.',
} as const

export type FailureReason = keyof typeof failureReasons

export function isFailureReason(word: string | undefined): word is FailureReason {
  return word !== undefined && word in failureReasons
}

export function adviceFor(reason: string): string {
  return failureReasons[reason as FailureReason] ?? 'Give the request id to the operator.'
}
