import { expect } from 'chai';
import { CONTRACT_VARIABLES, dishonouredVariables } from '../../config/contract-variables.ts';
import { type DeclaredSetting, declaredSettings } from '../../config/describe-settings.ts';

/** `plugins.cards.maxAgeSeconds` belongs to `cards`, `adapters.store.path` to an adapter, `node.url` to the node. */
const ownerOf = ({ key }: DeclaredSetting): string => {
  const [first = '', second = ''] = key.split('.');
  if (first === 'plugins') return second;
  return first === 'adapters' ? 'adapter' : 'node';
};

/** A default as an operator would write it into a variable. */
const asText = (json: string | undefined): string => {
  const value: unknown = json === undefined ? '' : JSON.parse(json);
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

describe('the catalogue of variables', () => {
  let declared: DeclaredSetting[];
  before(async () => {
    declared = (await declaredSettings()).filter(({ variable }) => CONTRACT_VARIABLES.has(variable ?? ''));
  });

  it('names the owner and the default that the settings declare', () => {
    const seen = new Map<string, string[]>();
    for (const setting of declared) {
      const name = setting.variable ?? '';
      seen.set(name, [...(seen.get(name) ?? []), `${ownerOf(setting)} ${asText(setting.default)}`]);
    }
    const faults = [...seen].filter(([name, found]) => {
      const variable = CONTRACT_VARIABLES.get(name);
      return !found.includes(`${variable?.owner} ${variable?.default}`);
    });
    expect(faults).to.deep.equal([]);
  });

  it('says of nothing that nothing reads it, and of nothing that a plugin does, when that is not so', () => {
    const read = new Set(declared.map(({ variable }) => variable));
    const faults = [...CONTRACT_VARIABLES].filter(([name, { owner }]) => read.has(name) === (owner === 'nothing'));
    expect(faults).to.deep.equal([]);
  });

  it('lets a variable stand that is read, empty, or says its default in other words', () => {
    const env = {
      SVC_RATE_LIMITS: ' ',
      SVC_TOMBSTONES_ENABLED: 'False',
      SVC_FEDERATION_PUSH_ENABLED: '1',
      SVC_FEDERATION_ENABLED: '0',
      SVC_DECAY_MIN_CONFIDENCE: '0',
      SVC_OIDC_ID_TOKEN_ALGORITHMS: 'RS256,ES256, PS256 EdDSA',
      SVC_CARD_MAX_AGE_S: '60',
      SVC_DB_PATH: '/data/other.db',
      SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S: '600',
    };
    expect(dishonouredVariables(env, ['SVC_CARD_MAX_AGE_S', undefined])).to.deep.equal([]);
  });

  it('refuses all others together, with what to do about each', () => {
    const env = {
      SVC_DECAY_MIN_CONFIDENCE: '9',
      SVC_DECAY_TTL_SECONDS: '9',
      SVC_CARD_MAX_AGE_S: '60',
      SVC_CARD_MAX_AGE: '60',
    };
    expect(dishonouredVariables(env, [])).to.deep.equal([
      {
        message:
          'SVC_CARD_MAX_AGE_S, SVC_DECAY_MIN_CONFIDENCE, SVC_DECAY_TTL_SECONDS are set, and nothing in this node honours them',
        hint:
          'switch the plugin cards on, or unset SVC_CARD_MAX_AGE_S; ' +
          'switch the plugin decay on, or unset SVC_DECAY_TTL_SECONDS, SVC_DECAY_MIN_CONFIDENCE',
      },
    ]);
  });
});
