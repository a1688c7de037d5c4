import { type Route, schema } from '../../kernel/plugin-api.ts';
import type { AuditTokens } from './audit-tokens.ts';

interface Body {
  readonly audit_token: string;
  readonly used_chunks?: readonly unknown[] | null;
  readonly missed_chunks?: readonly unknown[] | null;
}

/** `POST /v1/instruction/audit` (wire contract 15) */
export const instructionAuditRoute = (tokens: AuditTokens): Route<undefined, undefined, Body> => ({
  method: 'POST',
  path: '/v1/instruction/audit',
  summary: 'Reports which of the instructions that were loaded an agent has used',
  access: { permission: 'any' },
  body: schema<Body>({
    type: 'object',
    required: ['audit_token'],
    properties: {
      audit_token: { type: 'string' },
      used_chunks: { type: ['array', 'null'], maxItems: 1_000 },
      missed_chunks: { type: ['array', 'null'], maxItems: 1_000 },
    },
  }),
  async handle({ caller, body }) {
    await tokens.submit(caller, body.audit_token, { used: body.used_chunks ?? [], missed: body.missed_chunks ?? [] });
    return { status: 204 };
  },
});
