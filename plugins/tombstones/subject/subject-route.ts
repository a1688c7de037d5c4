import { objectRequiring } from '../../../kernel/internal-api.ts';
import type { Route } from '../../../kernel/plugin-api.ts';
import type { SubjectExport } from './subject-export.ts';

interface ExportBody {
  readonly entity_uri: string;
  readonly about: boolean;
  readonly asserted_by: boolean;
}

/** `POST /v1/subjects/export` exports all facts about or by an entity. */
export const exportSubjectRoute = (subjects: SubjectExport): Route<undefined, undefined, ExportBody> => ({
  method: 'POST',
  path: '/v1/subjects/export',
  cost: 1_000,
  summary: 'Everything about an entity, and everything it asserted, as lines of JSON with a signed receipt',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  body: objectRequiring<ExportBody>(['entity_uri'], {
    entity_uri: { type: 'string' },
    about: { type: 'boolean', default: true },
    asserted_by: { type: 'boolean', default: true },
  }),
  answers: { 200: { text: ['application/x-ndjson'] } },
  example: { body: { entity_uri: 'user:bob', about: true, asserted_by: true } },
  async handle({ caller, body: { entity_uri: entityUri, about, asserted_by: assertedBy } }) {
    return {
      status: 200,
      contentType: 'application/x-ndjson',
      text: await subjects.lines(caller, { entityUri, about, assertedBy }),
    };
  },
});
