import { type ChainPlace, hashText, objectSchema } from '../../../kernel/internal-api.ts';
import { COUNT_JSON, INSTANT_JSON, objectOf, orNull, type Route, STRING_JSON } from '../../../kernel/plugin-api.ts';
import type { Audit, VerifiedEntries } from '../audit-api.ts';
import { seqOf } from '../audit-query.ts';
import { READS_ALL } from '../stored-audit.ts';

const HASH_JSON = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };

const PLACE_JSON = orNull(objectOf({ seq: COUNT_JSON, chain_seq: COUNT_JSON, hash: HASH_JSON }));

const SIGNED = {
  kind: STRING_JSON,
  version: { type: 'integer', const: 1 },
  node_id: STRING_JSON,
  tenant_id: STRING_JSON,
  covered_seq: COUNT_JSON,
  covered_chain_seq: COUNT_JSON,
  created_at: INSTANT_JSON,
  public_key: orNull(STRING_JSON),
  signature: orNull(STRING_JSON),
};

const VERIFIED_JSON = objectOf({
  tenant_id: STRING_JSON,
  ok: { type: 'boolean' },
  checked: COUNT_JSON,
  details_gone: COUNT_JSON,
  verified: PLACE_JSON,
  head: PLACE_JSON,
  next_cursor: orNull({ type: 'integer' }),
  checkpoint: orNull(
    objectOf({
      ...SIGNED,
      id: STRING_JSON,
      log_index: COUNT_JSON,
      chain_hash: HASH_JSON,
      prev_hash: orNull(HASH_JSON),
    }),
  ),
  stub: orNull(objectOf({ ...SIGNED, count: COUNT_JSON, chain_hash: orNull(HASH_JSON), until: INSTANT_JSON })),
  problem: orNull(
    objectOf({
      reason: STRING_JSON,
      seq: orNull(COUNT_JSON),
      chain_seq: COUNT_JSON,
      entry_id: orNull(STRING_JSON),
    }),
  ),
});

/** `GET /v1/audit/verify` verifies the log of the caller's tenant, one part per call. */
export const verifyAuditRoute = (audit: Audit): Route<undefined, { readonly cursor?: string }> => ({
  method: 'GET',
  path: '/v1/audit/verify',
  cost: 1_000,
  summary: 'Whether entries of the audit log were changed, left out or put in, a part at a time',
  access: { permission: READS_ALL },
  query: objectSchema<{ readonly cursor?: string }>({ cursor: { type: 'string' } }),
  answers: { 200: { json: VERIFIED_JSON } },
  example: {},
  async handle({ caller, query }) {
    return { status: 200, body: verifiedJson(await audit.verify(caller, seqOf(query.cursor))) };
  },
});

/** The JSON of a verification result, for the route and the command. */
export const verifiedJson = ({
  tenantId,
  checked,
  detailsGone,
  place,
  head,
  more,
  checkpoint,
  stub,
  problem,
}: VerifiedEntries) => ({
  tenant_id: tenantId,
  ok: problem === undefined,
  checked,
  details_gone: detailsGone,
  verified: placeJson(place),
  head: placeJson(head),
  next_cursor: more && place !== undefined ? place.number : null,
  checkpoint,
  stub,
  problem:
    problem === undefined
      ? null
      : { reason: problem.reason, seq: problem.seq, chain_seq: problem.chainSeq, entry_id: problem.entryId },
});

const placeJson = (place: ChainPlace | undefined) =>
  place === undefined ? null : { seq: place.number, chain_seq: place.link.seq, hash: hashText(place.link.hash) };
