import { expect } from 'chai';
import { CONTRACT_VARIABLES, dishonouredVariables } from '../../config/contract-variables.ts';
import { declaredSettings } from '../../config/describe-settings.ts';

describe('the catalogue of variables', () => {
  it('names variables that the plugin declares', async () => {
    const declared = new Set((await declaredSettings()).map(({ key, variable }) => `${key.split('.')[1]} ${variable}`));
    const listed = Object.entries(CONTRACT_VARIABLES).flatMap(([plugin, names]) =>
      names.map((name) => `${plugin} ${name}`),
    );
    expect(listed.filter((pair) => !declared.has(pair))).to.deep.equal([]);
  });

  it('accepts a variable that a plugin reads, that is empty, or that has its default value in another spelling', async () => {
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
    expect(await dishonouredVariables(env, ['SVC_CARD_MAX_AGE_S', undefined])).to.deep.equal([]);
  });

  it('refuses all other variables in one error, with advice for each', async () => {
    const env = {
      SVC_DECAY_MIN_CONFIDENCE: '9',
      SVC_DECAY_TTL_SECONDS: '9',
      SVC_CARD_MAX_AGE_S: '60',
      SVC_CARD_MAX_AGE: '60',
    };
    expect(await dishonouredVariables(env, [])).to.deep.equal([
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
