import { expect } from 'chai';
import { resolveSettings, type SettingSources } from '../../../kernel/plugins/plugin-config.ts';
import type { BootProblem } from '../../../kernel/problems/boot-problem.ts';
import { type Schema, schema } from '../../../ports/schema.ts';

const cards = schema<unknown>({
  type: 'object',
  required: ['maxAgeSeconds', 'apiKey'],
  properties: {
    maxAgeSeconds: { type: 'integer', minimum: 1, maximum: 10, default: 5, env: 'X_MAX_AGE' },
    enabled: { type: 'boolean', default: false, env: 'X_ENABLED' },
    ratio: { type: 'number', env: 'X_RATIO' },
    mode: { type: 'string', enum: ['record', 'strict'], env: 'X_MODE' },
    tiers: { type: 'object', additionalProperties: { type: 'number' }, env: 'X_TIERS' },
    origins: { type: 'array', items: { type: 'string' }, env: 'X_ORIGINS' },
    workers: { type: ['integer', 'string'], pattern: '^auto$', env: 'X_WORKERS' },
    apiKey: { type: 'string', pattern: '^.{8,}$', default: '', env: 'X_API_KEY', writeOnly: true },
    quota: {
      type: 'object',
      properties: { perMinute: { type: 'integer', default: 60, env: 'X_PER_MINUTE' } },
    },
  },
});
const SECRET = 'a-long-secret';
const needed = { X_API_KEY: SECRET };

const resolve = (sources: Partial<SettingSources>, json: Schema<unknown> | undefined = cards) => {
  const problems: BootProblem[] = [];
  const resolved = resolveSettings(json, { owner: 'plugins.cards', env: needed, ...sources }, problems);
  return { value: resolved?.value as Record<string, unknown> | undefined, report: resolved?.report ?? [], problems };
};
const withEnv = (env: Record<string, string>) => resolve({ env: { ...needed, ...env } });
const messages = (problems: readonly BootProblem[]): string[] => problems.map(({ message }) => message);

const TIERS_ACCEPTED = 'X_TIERS accepts a JSON object, {"name":value, ...}, in which each value is a number';

describe('plugin settings', () => {
  it('have their defaults when nothing sets them, inside groups too', () => {
    expect(resolve({}).value).to.deep.equal({
      maxAgeSeconds: 5,
      enabled: false,
      apiKey: SECRET,
      quota: { perMinute: 60 },
    });
  });

  it('prefer the command to the environment, the environment to the file, and the file to the default', () => {
    const file = { maxAgeSeconds: 3 };
    const env = { ...needed, X_MAX_AGE: '4' };
    const overrides = { maxAgeSeconds: 6 };
    const age = (sources: Partial<SettingSources>) => {
      const { value, report } = resolve(sources);
      return [value?.['maxAgeSeconds'], report.find(({ key }) => key === 'maxAgeSeconds')?.origin];
    };
    expect(age({})).to.deep.equal([5, 'default']);
    expect(age({ file })).to.deep.equal([3, 'file']);
    expect(age({ file, env })).to.deep.equal([4, 'environment']);
    expect(age({ file, env, overrides })).to.deep.equal([6, 'command']);
  });

  it('resolve a default path inside the data folder, and every path in a node that uses only that folder', () => {
    const places = schema<{ log: { file: string } }>({
      type: 'object',
      properties: {
        log: { type: 'object', properties: { file: { type: 'string', dataPath: 'kept/log', env: 'X_LOG' } } },
      },
    });
    const place = (sources: Partial<SettingSources>) => {
      const { value, report } = resolve({ dataFolder: '/data', ...sources }, places);
      return [value?.['log'], report[0]?.value, report[0]?.origin];
    };
    const there = { file: '/data/kept/log' };
    const elsewhere = { file: '/var/log' };
    expect(place({})).to.deep.equal([there, there.file, 'derived']);
    expect(place({ file: { log: elsewhere } })).to.deep.equal([elsewhere, elsewhere.file, 'file']);
    expect(place({ env: { X_LOG: '/var/log' } })).to.deep.equal([elsewhere, elsewhere.file, 'environment']);
    expect(place({ overrides: { log: elsewhere }, usesOnlyDataFolder: true })[0]).to.deep.equal(there);
    expect(place({ env: { X_LOG: '/var/log' }, usesOnlyDataFolder: true })[0]).to.deep.equal(there);
  });

  it('read booleans from text in any case, as words or digits', () => {
    for (const text of ['true', 'TRUE', 'True', '1'])
      expect(withEnv({ X_ENABLED: text }).value?.['enabled']).to.equal(true);
    for (const text of ['false', 'FALSE', '0']) expect(withEnv({ X_ENABLED: text }).value?.['enabled']).to.equal(false);
  });

  it('read numbers, lists, objects and alternatives from text by the type of the property', () => {
    const { value } = withEnv({
      X_RATIO: '0.25',
      X_TIERS: '{"slug":0.8}',
      X_ORIGINS: 'https://a.example, https://b.example https://c.example',
      X_WORKERS: '4',
      X_PER_MINUTE: '7',
    });
    expect(value).to.deep.include({
      ratio: 0.25,
      tiers: { slug: 0.8 },
      origins: ['https://a.example', 'https://b.example', 'https://c.example'],
      workers: 4,
      quota: { perMinute: 7 },
    });
    expect(withEnv({ X_WORKERS: 'auto' }).value?.['workers']).to.equal('auto');
  });

  it('treat an empty variable as unset', () => {
    expect(withEnv({ X_ENABLED: '', X_MAX_AGE: '' }).problems).to.deep.equal([]);
  });

  it('leave out the carriage return that a file with Windows line ends adds to a variable', () => {
    const { value, problems } = withEnv({ X_MODE: 'strict\r', X_RATIO: '0.25\r', X_ENABLED: '\r' });
    expect(problems).to.deep.equal([]);
    expect(value).to.include({ mode: 'strict', ratio: 0.25 });
  });

  const refused: Readonly<Record<string, [env: Record<string, string>, message: string]>> = {
    'text for a boolean': [{ X_ENABLED: 'yes' }, 'X_ENABLED accepts true or false (1 or 0)'],
    'text for a number': [{ X_RATIO: '0x10' }, 'X_RATIO accepts a number'],
    'a fraction for a whole number': [{ X_MAX_AGE: '1.5' }, 'X_MAX_AGE accepts a whole number from 1 to 10'],
    'a number out of range': [{ X_MAX_AGE: '11' }, 'X_MAX_AGE accepts a whole number from 1 to 10'],
    'an unknown word': [{ X_MODE: 'lenient' }, 'X_MODE accepts one of record, strict'],
    'another word than the one': [{ X_WORKERS: 'autos' }, 'X_WORKERS accepts a whole number or auto'],
    'broken JSON': [{ X_TIERS: '{' }, TIERS_ACCEPTED],
    'JSON that is no object': [{ X_TIERS: '[1]' }, TIERS_ACCEPTED],
    'an object with wrong members': [{ X_TIERS: '{"slug":"high"}' }, TIERS_ACCEPTED],
  };
  for (const [what, [env, message]] of Object.entries(refused)) {
    it(`refuse ${what} in a variable, naming the variable and what it accepts`, () => {
      const { value, problems } = withEnv(env);
      expect(value).to.equal(undefined);
      expect(messages(problems)).to.deep.equal([message]);
    });
  }

  it('refuse an invalid value in the file, and name the key', () => {
    expect(messages(resolve({ file: { maxAgeSeconds: '5' } }).problems)).to.deep.equal([
      'plugins.cards.maxAgeSeconds accepts a whole number from 1 to 10',
    ]);
  });

  it('refuse unknown keys inside the entries of a list, and inside an object that a variable may set', () => {
    const place = { type: 'object', properties: { host: { type: 'string' } } };
    const nested = schema<unknown>({
      type: 'object',
      properties: { places: { type: 'array', items: place }, fallback: { ...place, env: 'X_FALLBACK' } },
    });
    const { problems } = resolve({ file: { places: [{}, { hots: 'a' }], fallback: { prot: 1 } } }, nested);
    expect(messages(problems)).to.deep.equal([
      'plugins.cards.places.1.hots is not a setting',
      'plugins.cards.fallback.prot is not a setting',
    ]);
    const byVariable = resolve({ env: { X_FALLBACK: '{"prot":1}' } }, nested);
    expect(messages(byVariable.problems)).to.deep.equal(['plugins.cards.fallback.prot is not a setting']);
    expect(resolve({}, nested).value).to.deep.equal({});
  });

  it('refuse unknown keys with a suggestion, in groups too', () => {
    expect(resolve({ file: { maxAgeSecond: 5 } }).problems).to.deep.equal([
      { message: 'plugins.cards.maxAgeSecond is not a setting', hint: 'did you mean maxAgeSeconds?' },
    ]);
    expect(messages(resolve({ file: { quota: { perHour: 5 } } }).problems)).to.deep.equal([
      'plugins.cards.quota.perHour is not a setting',
    ]);
  });

  it('refuse a key that has moved to another setting, and name that setting', () => {
    const moved = schema<unknown>({
      type: 'object',
      properties: {
        speed: { type: 'number', default: 1 },
        maxAge: { movedTo: 'plugins.decks.maxAge' },
        quota: { type: 'object', properties: { perHour: { movedTo: 'plugins.decks.perHour' } } },
      },
    });
    expect(resolve({ file: { maxAge: 5, quota: { perHour: 5 } } }, moved).problems).to.deep.equal([
      { message: 'plugins.cards.maxAge is now plugins.decks.maxAge', hint: 'write it as plugins.decks.maxAge' },
      {
        message: 'plugins.cards.quota.perHour is now plugins.decks.perHour',
        hint: 'write it as plugins.decks.perHour',
      },
    ]);
    const { value, report } = resolve({ file: {} }, moved);
    expect(value).to.deep.equal({ speed: 1, quota: {} });
    expect(report.map(({ key }) => key)).to.deep.equal(['speed']);
  });

  it('refuse any key for a plugin without settings', () => {
    const none = schema<unknown>({ type: 'object' });
    expect(resolve({ file: { any: 1 } }, none).problems).to.deep.equal([
      { message: 'plugins.cards.any is not a setting', hint: 'it takes no settings' },
    ]);
  });

  it('report every problem at once, one per setting', () => {
    const { problems } = resolve({
      file: { nonsense: 1 },
      env: { ...needed, X_MODE: 'x', X_ENABLED: 'x', X_MAX_AGE: '99' },
    });
    expect(messages(problems)).to.have.members([
      'X_ENABLED accepts true or false (1 or 0)',
      'X_MODE accepts one of record, strict',
      'X_MAX_AGE accepts a whole number from 1 to 10',
      'plugins.cards.nonsense is not a setting',
    ]);
  });

  it('name the variable of a missing required setting', () => {
    const url = schema<unknown>({
      type: 'object',
      required: ['url'],
      properties: { url: { type: 'string', format: 'http-url', env: 'X_URL' } },
    });
    expect(resolve({}, url).problems).to.deep.equal([
      {
        message: 'plugins.cards.url is required: an absolute http or https URL without user and password',
        hint: 'set it in the file or through X_URL',
      },
    ]);
    expect(messages(resolve({ env: { X_URL: 'ftp://x' } }, url).problems)).to.deep.equal([
      'X_URL accepts an absolute http or https URL without user and password',
    ]);
  });

  it('never show a secret, neither in a problem nor in the report', () => {
    const short = withEnv({ X_API_KEY: 'hunter2' });
    expect(JSON.stringify(short.problems)).to.include('X_API_KEY').and.not.include('hunter2');
    const shown = (env: Record<string, string>) => withEnv(env).report.find(({ key }) => key === 'apiKey')?.value;
    expect(shown({})).to.equal('(set)');
    expect(JSON.stringify(withEnv({}).report)).not.to.include(SECRET);
  });

  it('never show any other value in a problem', () => {
    expect(JSON.stringify(withEnv({ X_MODE: 'private-text' }).problems)).not.to.include('private-text');
  });

  it('do not change their input', () => {
    const file = Object.freeze({ quota: Object.freeze({}) });
    expect(resolve({ file }).value).to.deep.include({ quota: { perMinute: 60 } });
    expect(file).to.deep.equal({ quota: {} });
  });

  it('turn an invalid schema into a boot problem', () => {
    const broken = schema<unknown>({ type: 'object', properties: { a: { type: 'nonsense' } } });
    expect(messages(resolve({}, broken).problems)[0]).to.include('the settings schema of plugins.cards is not valid');
  });

  it('report a schema that schema() did not make', () => {
    const [problem] = messages(resolve({}, { type: 'object', properties: {} } as never).problems);
    expect(problem).to.include('the settings of plugins.cards are described by something that is no schema');
  });
});
