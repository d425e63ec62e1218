import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Prompt } from './authorization-request.ts'
import { judgeSession } from './session-judgement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const ada = { user_id: 'ada', email: 'Ada@example.com', signed_in_at: ago(60) }
const asked = {
  created_at: ago(10),
  prompt: [] as Prompt[],
  max_age: null as number | null,
  login_hint: null as string | null,
  hinted_user_id: null as string | null,
}
/** Signed in after the request was made, and so for it. */
const anew = { ...ada, signed_in_at: ago(5) }

const table: [title: string, request: Partial<typeof asked>, session: typeof ada | null, verdict: string][] = [
  ['nobody is signed in', {}, null, 'sign_in'],
  ['somebody is', {}, ada, 'go_on'],
  ['prompt=login', { prompt: ['login'] }, ada, 'sign_in'],
  ['prompt=login, done', { prompt: ['login'] }, anew, 'go_on'],
  ['max_age not passed', { max_age: 60 }, ada, 'go_on'],
  ['max_age passed', { max_age: 59 }, ada, 'sign_in'],
  ['max_age=0, done', { max_age: 0 }, anew, 'go_on'],
  ['id_token_hint of the person', { hinted_user_id: 'ada' }, ada, 'go_on'],
  ['id_token_hint of another person', { hinted_user_id: 'bob' }, ada, 'sign_in'],
  ['id_token_hint of another person, and signed in for it', { hinted_user_id: 'bob' }, anew, 'wrong_person'],
  ['id_token_hint of the person, prompt=login', { hinted_user_id: 'ada', prompt: ['login'] }, ada, 'sign_in'],
  ['id_token_hint of the person, max_age passed', { hinted_user_id: 'ada', max_age: 1 }, ada, 'sign_in'],
  ['id_token_hint of the person, login_hint stale', { hinted_user_id: 'ada', login_hint: 'old@x.test' }, ada, 'go_on'],
  [
    'id_token_hint of another, login_hint of this one',
    { hinted_user_id: 'bob', login_hint: ada.email },
    ada,
    'sign_in',
  ],
  ['login_hint of the person, written otherwise', { login_hint: ' ada@EXAMPLE.com' }, ada, 'go_on'],
  ['login_hint of another person', { login_hint: 'bob@example.com' }, ada, 'sign_in'],
  ['login_hint of another person, and signed in for it: only a hint', { login_hint: 'bob@example.com' }, anew, 'go_on'],
  ['login_hint that is no email', { login_hint: '+47 555 01 02' }, ada, 'go_on'],
]

for (const [title, request, session, verdict] of table) {
  it(`12.16 OpenID Connect Core 3.1.2.1: ${title} → ${verdict}`, () => {
    assert.equal(judgeSession({ ...asked, ...request }, session, now), verdict)
  })
}
