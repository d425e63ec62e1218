import {
  areaNames,
  askedLevels,
  type CredentialArea,
  credentialAreas,
  levelNames,
  levelsOf,
  permissionIn,
  stepOf,
} from '../../directory/approved-permissions.ts'
import type { SpaceChoice } from '../../directory/organization/upper-spaces.ts'
import {
  abilities,
  allowedBy,
  allPermissions,
  asBeginning,
  type CredentialPermissions,
  levels,
  ofCredential,
  permits,
  type RequestedPermissions,
} from '../../directory/permissions.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { ceilingOf, newAreas, preselected } from './approved-reach.ts'
import { approvesIt, type ConsentRow, decidesIt, mayKnowSpaces, namedSpacesPerRow } from './consent-rows.ts'
import { levelField, spaceField, whereField } from './reach-form.ts'

/** What the application asks for, with its reasons. */
export function askedFor(
  application: Content,
  partner: string,
  requested: RequestedPermissions | null,
  whose: string,
): Content {
  const levels = askedLevels(requested)
  const areas = credentialAreas.filter((area) => levels[area] !== 'none')
  const who = html`<strong>${application}</strong> by ${partner}`
  if (areas.length === 0)
    return html`<p>${who} asks who you are, and <strong>nothing else</strong>: it cannot see or change anything of ${whose}.</p>`
  return html`<p>${who} asks for access to ${whose}. It will be able to:</p>
<ul class="asked">${areas.map((area) => {
    const words = asBeginning(allowedBy(permissionIn(levels, area)!))
    return html`<li><strong>${words}</strong>${requested && html`<span class="reason">${requested[area]!.reason}</span>`}</li>`
  })}</ul>${requested === null && html`<p>Not included: ${withheld.join('; ')}.</p>`}`
}

/** What an application that names no permissions does not get. */
const withheld = allPermissions
  .filter((permission) => !permits(ofCredential, permission))
  .map((each) => abilities[each])

/** What was approved here, where it is less than what the screen says above. */
export function approvedText(row: ConsentRow, spaceNames: Map<string, string>): Content {
  const { permissions, within, requested_permissions } = row
  const given = levelsOf(permissions)
  const asked = askedLevels(requested_permissions)
  const same = credentialAreas.every((area) => given[area] === asked[area])
  if (!row.approved || (same && within === null)) return null
  const place = within && placeText(row, within, spaceNames)
  return html`<span>Approved: ${same ? 'what it asks for' : wordsOf(given)}${place && html`, ${place}`}.</span>`
}

/** `see the tree of spaces; see users, groups and invitations` */
function wordsOf(permissions: CredentialPermissions, areas: readonly CredentialArea[] = credentialAreas): string {
  const words = areas.flatMap((area) => {
    const permission = permissionIn(permissions, area)
    return permission ? [allowedBy(permission)] : []
  })
  return words.length === 0 ? 'nothing' : words.join('; ')
}

/** A deleted space covers nothing, and has no name. */
function placeText(row: ConsentRow, within: string[], names: Map<string, string>): string {
  const known = within.flatMap((id) => names.get(id) ?? [])
  const gone = within.length - known.length
  if (known.length === 0) return `but nowhere: ${gone === 1 ? 'its space was' : 'its spaces were'} deleted`
  if (!mayKnowSpaces(row)) return 'only in some spaces'
  const others = known.length - namedSpacesPerRow
  const place = `only in ${known.slice(0, namedSpacesPerRow).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
  return gone === 0
    ? place
    : `${place}; ${gone === 1 ? 'a deleted space covers' : `${gone} deleted spaces cover`} nothing`
}

/** What it asks for beyond what it asked for when it was approved. */
export function newText(row: ConsentRow): Content {
  const areas = decidesIt(row) ? newAreas(row) : []
  const asked = askedLevels(row.requested_permissions)
  return areas.length > 0 && html`<span class="weighs">New: ${wordsOf(asked, areas)}.</span>`
}

interface Narrowing {
  spaces: SpaceChoice[]
  /** How many of them a row shows. */
  shownSpaces: number
  /** What was sent, where the screen is shown again. */
  sent?: Parameters | undefined
}

/** The fields with which an administrator gives less than is asked for. */
export function narrowing(row: ConsentRow, { spaces, shownSpaces, sent }: Narrowing): Content {
  const ceiling = ceilingOf(row)
  const areas = credentialAreas.filter((area) => ceiling[area] !== 'none')
  if (areas.length === 0) return null
  const own = spaces.filter(({ customer_id }) => customer_id === row.customer_id)
  const wasSent = sent?.get(levelField(areas[0]!, row.customer_id)) !== undefined
  return html`<details class="narrow" ${wasSent && html`open`}><summary>Allow less than it asks for</summary>
<div class="levels">${areas.map((area) => levelSelect(row, area, ceiling, sent))}</div>
${approvesIt(row) ? own.length > 0 && places(row, own, shownSpaces, sent) : html`<p class="hint">Where it may do this stays as it is. You can change it under Settings, Connected apps.</p>`}
</details>`
}

function levelSelect(
  row: ConsentRow,
  area: CredentialArea,
  ceiling: CredentialPermissions,
  sent: Parameters | undefined,
): Content {
  const name = levelField(area, row.customer_id)
  const chosen = sent?.get(name) ?? preselected(row)[area]
  const offered = levels[area].slice(0, stepOf(area, ceiling[area]) + 1)
  return html`<div class="field"><label>${areaNames[area]}
<select name="${name}">${offered.map(
    (level) => html`<option value="${level}" ${level === chosen && html`selected`}>${levelNames[level]}</option>`,
  )}</select></label></div>`
}

function places({ customer_id }: ConsentRow, all: SpaceChoice[], max: number, sent: Parameters | undefined): Content {
  const name = whereField(customer_id)
  const inSpaces = sent?.get(name) === 'spaces'
  const ticked = new Set(sent?.all(spaceField(customer_id)))
  return html`<fieldset class="places"><legend>Where</legend>
<label class="check"><input type="radio" name="${name}" value="everywhere" ${!inSpaces && html`checked`}> Everywhere</label>
<label class="check"><input type="radio" class="in-spaces" name="${name}" value="spaces" ${inSpaces && html`checked`}> Only in these spaces, with everything below them</label>
<ul class="spaces">${all
    .slice(0, max)
    .map(
      ({ id, name: space, below }) =>
        html`<li ${below && html`class="below"`}><label class="check"><input type="checkbox" name="${spaceField(customer_id)}" value="${id}" ${ticked.has(id) && html`checked`}> ${space}</label></li>`,
    )}</ul>
<p class="hint">${all.length > max ? 'More spaces, and those further below,' : 'Spaces further below'} can be chosen later under Settings, Connected apps. People are in no space.</p>
</fieldset>`
}
