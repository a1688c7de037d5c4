import type { AnswerOf } from '../../../../../client/client.ts';
import { useTexts } from '../../kit/use-texts.ts';

export type TenantStatus = AnswerOf<'GET /v1/tenants'>['tenants'][number]['status'];

const CLASS = { active: 'good', suspended: 'warn', erasing: 'bad', erased: 'bad' } as const;

export const TenantState = ({ status }: { status: TenantStatus }) => (
  <span class={`tag ${CLASS[status]}`}>{useTexts().tenants.states[status]}</span>
);
