import { applicationLogoPath } from '../../directory/partners/logo.ts'
import { type Content, html } from '../../platform/pages/html.ts'

export interface ShownApplication {
  client_id: string
  application_name: string
  partner_name: string
  verified_domain: string | null
  home_page: string | null
  logo_version: string | null
}

/** Who asks: the application's logo and home page, so that people recognise it. */
export function applicationCard(application: ShownApplication): Content {
  const { client_id, application_name: name, partner_name, verified_domain, home_page, logo_version } = application
  const logo = applicationLogoPath(client_id, logo_version)
  return html`<div class="application">
${logo ? html`<img src="${logo}" alt="">` : html`<span class="initial" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`}
<div><strong>${name}</strong><span>by ${partner_name}</span>${domainFact(verified_domain)}${home_page && homePageLink(home_page)}</div>
</div>`
}

/** In a tab of its own: the decision stays open. */
export function homePageLink(address: string): Content {
  const { host } = new URL(address)
  return html`<a href="${address}" target="_blank" rel="noopener noreferrer">${host}</a>`
}

/** Whose domain it is was proven; that no domain was is said as well, so that its absence can be noticed. */
function domainFact(domain: string | null): Content {
  return domain
    ? html`<span class="verified"><span class="tick" aria-hidden="true">✓</span> ${domain} <span class="quiet">(verified)</span></span>`
    : html`<span class="unverified">Domain not verified</span>`
}
