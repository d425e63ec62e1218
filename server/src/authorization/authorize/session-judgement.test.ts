import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Prompt } from './authorization-request.ts'
import { judgeSession } from './session-judgement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const ada = { user_id: 'ada', email: 'Ada@example.com', signed_in_at: ago(60), proved_at: null as Date | null }
const plainRequest = {
  created_at: ago(10),
  prompt: [] as Prompt[],
  max_age: null as number | null,
  login_hint: null as string | null,
  hinted_user_id: null as string | null,
}
/** Signed in after the request was stored, so for this request. */
const afterRequest = { ...ada, signed_in_at: ago(5) }

const atRequest = { ...ada, signed_in_at: ago(10) }

const table: [title: string, request: Partial<typeof plainRequest>, session: typeof ada | null, verdict: string][] = [
  ['nobody is signed in', {}, null, 'sign_in'],
  ['somebody is signed in', {}, ada, 'proceed'],
  ['prompt=login', { prompt: ['login'] }, ada, 'sign_in'],
  ['prompt=login, after signing in', { prompt: ['login'] }, afterRequest, 'proceed'],
  ['prompt=login, signed in at the very instant of the request', { prompt: ['login'] }, atRequest, 'proceed'],
  ['within max_age', { max_age: 60 }, ada, 'proceed'],
  ['max_age exceeded', { max_age: 59 }, ada, 'sign_in'],
  ['max_age, and a factor presented since', { max_age: 59 }, { ...ada, proved_at: ago(30) }, 'proceed'],
  ['prompt=login, and a factor presented since', { prompt: ['login'] }, { ...ada, proved_at: ago(5) }, 'sign_in'],
  ['max_age exceeded by a moment', { max_age: 60 }, { ...ada, signed_in_at: ago(60.001) }, 'sign_in'],
  ['max_age=0, after signing in', { max_age: 0 }, afterRequest, 'proceed'],
  ['id_token_hint of the person', { hinted_user_id: 'ada' }, ada, 'proceed'],
  ['id_token_hint of another person', { hinted_user_id: 'bob' }, ada, 'sign_in'],
  ['id_token_hint of another person, and signed in for it', { hinted_user_id: 'bob' }, afterRequest, 'wrong_person'],
  ['id_token_hint of the person, prompt=login', { hinted_user_id: 'ada', prompt: ['login'] }, ada, 'sign_in'],
  ['id_token_hint of the person, max_age exceeded', { hinted_user_id: 'ada', max_age: 1 }, ada, 'sign_in'],
  [
    'id_token_hint of the person, login_hint stale',
    { hinted_user_id: 'ada', login_hint: 'old@x.test' },
    ada,
    'proceed',
  ],
  [
    'id_token_hint of another, login_hint of this one',
    { hinted_user_id: 'bob', login_hint: ada.email },
    ada,
    'sign_in',
  ],
  ['login_hint of the person, in other case', { login_hint: ' ada@EXAMPLE.com' }, ada, 'proceed'],
  ['login_hint of another person', { login_hint: 'bob@example.com' }, ada, 'sign_in'],
  [
    'login_hint of another person, and signed in for it: only a hint',
    { login_hint: 'bob@example.com' },
    afterRequest,
    'proceed',
  ],
  ['login_hint that is no email', { login_hint: '+47 555 01 02' }, ada, 'proceed'],
]

for (const [title, request, session, verdict] of table) {
  it(`decision 6.6, OpenID Connect Core 3.1.2.1: ${title} → ${verdict}`, () => {
    assert.equal(judgeSession({ ...plainRequest, ...request }, session, now), verdict)
  })
}
