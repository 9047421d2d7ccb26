// The dependency direction of the house (CONTRIBUTING, "How the house is built"). Rooms, from the ground up:
//   foundation < events, session < turn, terminal, tools < target < gateway < cli, demo
//   contract (types and validators) and http (the only one that knows express) stand beside them.
const room = (name) => `^src/${name}/`;
const forbid = (name, from, to, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: to },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one thing.',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nobody imports it and it is no program.',
      from: { orphan: true, path: '^src/', pathNot: ['main\\.ts$'] },
      to: {},
    },
    forbid(
      'foundation-knows-nobody',
      room('foundation'),
      '^(src/(?!foundation/)|generated/|sdk/)',
      'The foundation knows nothing of Houmao.',
    ),
    forbid(
      'events-and-session-on-foundation',
      '^src/(events|session)/',
      '^(src/(?!foundation/|events/|session/)|generated/|sdk/)',
      'They only stand on the foundation.',
    ),
    forbid(
      'turn-terminal-tools-below-target',
      '^src/(turn|terminal|tools)/',
      '^(src/(target|gateway|launch|cli|demo|http|contract|standin)/|generated/|sdk/)',
      'A tool or a turn knows no target and no gateway.',
    ),
    forbid(
      'target-below-gateway',
      room('target'),
      '^(src/(gateway|launch|cli|demo|http|contract|standin)/|generated/|sdk/)',
      'A target knows no gateway.',
    ),
    forbid(
      'diagnostics-know-what-they-are-told',
      room('diagnostics'),
      '^(src/(?!foundation/|contract/|diagnostics/)|generated/|sdk/)',
      'The diagnostic log is told what happened and asks nobody.',
    ),
    forbid(
      'contract-knows-no-surface',
      room('contract'),
      '^(src/(?!foundation/|contract/)|generated/|sdk/)',
      'It is spec-agnostic.',
    ),
    forbid(
      'http-knows-no-gateway',
      room('http'),
      '^(src/(?!foundation/|contract/|http/)|generated/|sdk/)',
      'Express serves any surface.',
    ),
    forbid(
      'standin-stands-alone',
      room('standin'),
      '^(src/(?!standin/)|generated/|sdk/)',
      'It is a program of its own.',
    ),
    forbid(
      'gateways-through-the-sdk',
      '^src/(cli|demo|launch)/',
      '^(src/gateway/|generated/)',
      'Programs reach gateways through the SDK.',
    ),
    forbid(
      'nobody-but-programs-needs-launch',
      '^src/(gateway|target|turn|tools|terminal|session|events|contract|http)/',
      '^src/(launch|cli|demo)/',
      'Launching comes last.',
    ),
    {
      name: 'express-only-in-http',
      severity: 'error',
      comment: 'Only http/ knows express and its validator.',
      from: { path: '^src/', pathNot: room('http') },
      to: { path: 'node_modules/(express|express-openapi-validator|swagger-ui-express)/' },
    },
    {
      name: 'http-only-for-programs',
      severity: 'error',
      comment: 'Only the process of a surface puts express and handlers together.',
      from: { path: '^src/(?!http/)', pathNot: '^src/[a-z]+/[a-z]+-process\\.ts$' },
      to: { path: room('http') },
    },
    {
      name: 'sdk-stands-alone',
      severity: 'error',
      comment: 'The packed SDK has nothing of the server.',
      from: { path: '^sdk/src/' },
      to: { path: '^(src|generated)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
