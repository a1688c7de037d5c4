export const ATTACKED_AGENT = 'agent:attacked';

const uriOf = (name: string): string => `instruction:default/agent/${ATTACKED_AGENT}/${name}/v1`;

/** A valid entry of a manifest. */
export const GOOD_UNIT = {
  name: 'deploy',
  description: 'how to deploy',
  fact_uri: uriOf('deploy'),
  load_triggers: { intents: ['deploy the service'], keywords: ['deploy'], task_types: ['ops'] },
  token_estimate: 10,
};

const changed = (members: Readonly<Record<string, unknown>>): string => JSON.stringify([{ ...GOOD_UNIT, ...members }]);

const NOT_TEXT = [5, true, null, [], {}, ['x']];
const NOT_TEXTS = [5, true, 'x', {}, [5], [null], [[]]];
const NO_SEGMENTS = ['', ' ', 'a b', 'a\tb', '..', 'a/b', 'a\\b', '%2e', 'a\u0000b', 'n'.repeat(257)];
const FOREIGN_URIS = [
  '',
  'deploy',
  'instruction:',
  'https://alpha.example/deploy/v1',
  'file:///etc/passwd',
  uriOf('other'),
  uriOf('deploy').replace('attacked', 'other'),
  uriOf('deploy').replace('/agent/', '/user/'),
  uriOf('deploy').replace('default', ''),
  `${uriOf('deploy')}/more`,
  uriOf('deploy').replace('/v1', ''),
  uriOf('deploy').replace('v1', ''),
  uriOf('deploy').replace('v1', '..'),
  uriOf('deploy').replace('v1', 'v 1'),
  `${uriOf('deploy')}${'1'.repeat(2_048)}`,
  `${uriOf('deploy')}\u0007`,
  ` ${uriOf('deploy')}`,
];

/** Lists of manifest entries, as JSON, each list invalid. */
export const BAD_UNITS: readonly string[] = [
  ...['5', 'true', '"x"', 'null', '{}', '[5]', '[null]', '["x"]', '[[]]', '[{}]'],
  ...[...NOT_TEXT, ...NO_SEGMENTS].map((name) => changed({ name })),
  ...[...NOT_TEXT, 'd'.repeat(121)].map((description) => changed({ description })),
  ...[...NOT_TEXT, ...FOREIGN_URIS].map((factUri) => changed({ fact_uri: factUri })),
  ...[5, 'x', [], { intent: [] }].map((triggers) => changed({ load_triggers: triggers })),
  ...['intents', 'keywords', 'task_types'].flatMap((list) =>
    [...NOT_TEXTS, ['t'.repeat(1_025)]].map((texts) => changed({ load_triggers: { [list]: texts } })),
  ),
  ...[-1, 1.5, '10', true].map((estimate) => changed({ token_estimate: estimate })),
  ...['1e999', '9007199254740993'].map((number) => changed({ token_estimate: 7 }).replace(':7', `:${number}`)),
  ...[1, 'true', []].map((guarantee) => changed({ guarantee_load: guarantee })),
  ...[1, 'true', []].map((guarantee) => changed({ guaranteed_load: guarantee })),
  ...NOT_TEXTS.map((types) => changed({ required_by_task_types: types })),
  ...['append', '', 5, true].map((position) => changed({ force_position: position })),
  ...['/etc/passwd', ''].map((path) => changed({ path })),
  ...['tokens', 'Name', '__proto__'].map((name) => changed({ [name]: 1 })),
  ...['name', 'description', 'fact_uri'].map((member) => changed({ [member]: undefined })),
  JSON.stringify([GOOD_UNIT, GOOD_UNIT]),
  JSON.stringify([GOOD_UNIT, { ...GOOD_UNIT, name: 'DEPLOY' }]),
  JSON.stringify(Array.from({ length: 10_000 }, (_, n) => ({ ...GOOD_UNIT, name: `u${n}`, fact_uri: uriOf(`u${n}`) }))),
];
