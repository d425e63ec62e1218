// The first file, and a small one: it sends the first requests to the service and asks for the page's own files while the
// portal's main file is still on its way.
import { sendFirstReads } from './api/first-reads.ts'
import { locale } from './locale.ts'
import { pagesAt } from './pages.ts'

sendFirstReads()
// The router loads them again, and reports what failed.
for (const page of pagesAt(location.pathname)) page.load().catch(() => {})

// The first formatter of each kind loads the browser's language data, which delays nothing while the main file is loading.
new Intl.RelativeTimeFormat(locale).format(0, 'second')
new Intl.DateTimeFormat(locale, { timeStyle: 'long' }).format()
new Intl.NumberFormat(locale).format(0)
