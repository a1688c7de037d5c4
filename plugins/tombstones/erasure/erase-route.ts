import { objectRequiring, objectSchema } from '../../../kernel/internal-api.ts';
import { COUNT_JSON, objectOf, type Route, STRING_JSON } from '../../../kernel/plugin-api.ts';
import { PREVIEW_JSON, RECEIPT_JSON } from './erasure-receipt.ts';
import type { StoredErasures } from './stored-erasures.ts';

interface EraseBody {
  readonly confirm: string;
  readonly dry_run: boolean;
}

/** `POST /v1/tombstones/{id}/erase` destroys the facts behind a tombstone. */
export const eraseRoute = (erasures: StoredErasures): Route<{ id: string }, undefined, EraseBody> => ({
  method: 'POST',
  path: '/v1/tombstones/:id/erase',
  summary: 'Destroys the facts behind a tombstone for good, or tells what that would destroy',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  // Destroys every fact below the threshold of a job.
  cost: 1_000,
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  body: objectRequiring<EraseBody>(['confirm'], {
    confirm: { type: 'string' },
    dry_run: { type: 'boolean', default: false },
  }),
  answers: {
    200: { json: { anyOf: [RECEIPT_JSON, PREVIEW_JSON] } },
    202: { json: objectOf({ job_id: STRING_JSON, status: STRING_JSON, estimated_s: COUNT_JSON }) },
  },
  example: {
    params: { id: 'tomb_a3d95e10-7c4b-4f26-8b1d-6e0f9c8a7b52' },
    body: { confirm: 'user:bob', dry_run: true },
  },
  async handle({ caller, params: { id }, body: { confirm, dry_run: isTrial } }) {
    if (isTrial) return { status: 200, body: await erasures.preview(caller, id, confirm) };
    const done = await erasures.erase(caller, id, confirm);
    if (!('jobId' in done)) return { status: 200, body: done };
    return { status: 202, body: { job_id: done.jobId, status: 'pending', estimated_s: done.estimatedSeconds } };
  },
});
