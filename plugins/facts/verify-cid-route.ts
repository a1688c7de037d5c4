import { type Facts, type Route, schema } from '../../kernel/plugin-api.ts';
import { type FactPath, factPath, noSuchFact, readFactId } from './fact-reference.ts';
import { recomputedCid } from './intact-facts.ts';

interface VerifyBody {
  readonly cid?: string | null;
}

/**
 * POST /v1/facts/{id}/verify-cid (wire contract 4.10): compares a fact with its content id; a mismatch is an answer,
 * not an error.
 */
export const verifyCidRoute = ({ facts }: { readonly facts: Facts }): Route<FactPath, undefined, VerifyBody> => ({
  method: 'POST',
  path: '/v1/facts/:id/verify-cid',
  summary: 'Check a fact against its content id',
  access: { permission: 'read' },
  dimension: 'fact_read',
  params: factPath,
  body: schema<VerifyBody>({ type: 'object', properties: { cid: { type: ['string', 'null'] } } }),
  bodyOptional: true,
  async handle({ caller, params, body }) {
    const id = readFactId(params.id);
    const view = await facts.read(caller, 'get', (reader) => reader.get(id));
    if (view === undefined) throw noSuchFact();
    const { fact } = view;
    const computed = recomputedCid(fact);
    const isStoredValid = computed === fact.cid;
    const match = (body.cid ?? fact.cid) === computed;
    return {
      status: 200,
      body: {
        cid_valid: isStoredValid,
        match,
        computed_cid: computed,
        stored_cid: fact.cid,
        mismatch_reason: mismatchReason(isStoredValid, match),
      },
    };
  },
});

const mismatchReason = (isStoredValid: boolean, match: boolean): string | null => {
  if (!isStoredValid) return 'stored_cid_mismatch';
  return match ? null : 'given_cid_mismatch';
};
