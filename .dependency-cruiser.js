// Who may import whom. The folder names are the architecture (docs/architecture.md); this file keeps them honest.
const area = '(directory|events|authorization|devices)'
const tests = '\\.test\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle, of types too, means two files are one idea, or an idea is in the wrong file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nobody-imports-the-roof',
      comment: 'Files beside the areas put them together. Only the configuration is for all.',
      severity: 'error',
      from: { path: '^server/src/.+/', pathNot: ['^server/src/cli/', tests] },
      to: { path: '^server/src/[^/]+\\.ts$', pathNot: '^server/src/config\\.ts$' },
    },
    {
      name: 'platform-knows-no-area',
      severity: 'error',
      from: { path: '^server/src/platform/', pathNot: tests },
      to: { path: `^server/src/(api|${area})/` },
    },
    {
      name: 'events-know-no-other-area',
      comment: 'Every area records its events in the transaction of the act itself, so events stand below all of them.',
      severity: 'error',
      from: { path: '^server/src/events/', pathNot: tests },
      to: { path: `^server/src/(api|directory|authorization|devices)/` },
    },
    {
      name: 'directory-imports-only-events',
      severity: 'error',
      from: { path: '^server/src/directory/', pathNot: tests },
      to: { path: '^server/src/(api|authorization|devices)/' },
    },
    {
      name: 'authorization-and-devices-never-import-each-other',
      severity: 'error',
      from: { path: '^server/src/(authorization|devices)/', pathNot: tests },
      to: { path: '^server/src/(api|authorization|devices)/', pathNot: '^server/src/$1/' },
    },
    {
      name: 'the-three-apis-never-import-each-other',
      severity: 'error',
      from: { path: '^server/src/api/(organization|partner|operator)/', pathNot: tests },
      to: { path: '^server/src/api/(organization|partner|operator)/', pathNot: '^server/src/api/$1/' },
    },
    {
      name: 'what-two-apis-share-knows-neither',
      severity: 'error',
      from: { path: '^server/src/api/shared/', pathNot: tests },
      to: { path: '^server/src/api/(organization|partner|operator)/' },
    },
    {
      name: 'routes-stay-in-their-area',
      comment:
        'A route parses, calls a verb of its own area, and replies. Only the three APIs call the verbs of every area.',
      severity: 'error',
      from: { path: `^server/src/${area}/routes/`, pathNot: tests },
      to: { path: `^server/src/(api|${area})/`, pathNot: '^server/src/($1|events)/' },
    },
    {
      name: 'routes-never-touch-a-store',
      severity: 'error',
      from: { path: '(/routes/|^server/src/api/)', pathNot: tests },
      to: { path: '^server/src/[^/]+/(telemetry-)?store/' },
    },
    {
      name: 'verbs-never-import-routes',
      severity: 'error',
      from: { path: '^server/src/.+/', pathNot: ['/routes/', tests] },
      to: { path: '^server/src/.+/routes/' },
    },
    {
      name: 'store-is-only-sql',
      comment: 'One function, one statement, and the SQL handle it is given.',
      severity: 'error',
      from: { path: '^server/src/([^/]+)/(?:telemetry-)?store/', pathNot: tests },
      to: {
        path: '^server/src/',
        pathNot: [
          '^server/src/platform/(database/(sql|statement)|own-limits)\\.ts$',
          '^server/src/$1/(telemetry-)?store/',
          '^server/src/devices/bucket\\.ts$',
        ],
      },
    },
    {
      name: 'another-areas-store-is-private',
      severity: 'error',
      from: { path: `^server/src/${area}/`, pathNot: tests },
      to: { path: `^server/src/${area}/(telemetry-)?store/`, pathNot: '^server/src/$1/' },
    },
    {
      name: 'telemetry-is-reached-by-one-file',
      comment: 'Decision 3.12: telemetry may be in a database of its own, so that everything asks it the same way.',
      severity: 'error',
      from: {
        path: '^server/src/',
        pathNot: ['^server/src/devices/telemetry-store/', '^server/src/devices/store/', tests],
      },
      to: { path: '^server/src/devices/telemetry-store/', pathNot: '/telemetry-store\\.ts$' },
    },
    {
      name: 'the-checker-of-histories-knows-only-the-contract',
      comment: 'What it shares with the service, or with the recorder, it could not find fault with.',
      severity: 'error',
      from: { path: '^test/histories/checker/', pathNot: tests },
      to: { pathNot: '^test/histories/checker/' },
    },
    {
      name: 'the-rules-of-models-know-only-the-documents',
      comment: 'What they share with the service, they could not find fault with.',
      severity: 'error',
      from: { path: '^test/models/rules/' },
      to: { pathNot: '^test/models/rules/' },
    },
    {
      name: 'portal-and-client-speak-http',
      severity: 'error',
      from: { path: '^(portal|client)/' },
      to: { path: '^server/' },
    },
    {
      name: 'access-to-the-api-knows-no-page',
      severity: 'error',
      from: { path: '^portal/src/api/' },
      to: { path: '^portal/src/', pathNot: '^portal/src/api/' },
    },
    {
      name: 'the-three-portals-never-import-each-other',
      severity: 'error',
      from: { path: '^portal/src/(customer|partner|operator)/' },
      to: { path: '^portal/src/(customer|partner|operator)/', pathNot: '^portal/src/$1/' },
    },
    {
      name: 'components-know-no-portal',
      severity: 'error',
      from: { path: '^portal/src/components/' },
      to: { path: '^portal/src/(customer|partner|operator|shell|help)/' },
    },
    {
      name: 'parts-of-a-page-know-no-other-component',
      severity: 'error',
      from: { path: '^portal/src/components/page/' },
      to: { path: '^portal/src/components/', pathNot: '^portal/src/components/page/' },
    },
    {
      name: 'charts-forms-and-tables-know-no-subject',
      comment: 'A chart knows nothing of devices, a table nothing of users.',
      severity: 'error',
      from: { path: '^portal/src/components/(chart|form|table)/' },
      to: { path: '^portal/src/components/(account|application|audit|device)/' },
    },
    {
      name: 'subjects-never-import-each-other',
      severity: 'error',
      from: { path: '^portal/src/components/(account|application|audit|device)/' },
      to: {
        path: '^portal/src/components/(account|application|audit|device)/',
        pathNot: '^portal/src/components/$1/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist|data)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
}
