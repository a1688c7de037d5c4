import type { AnswerOf, BodyOf } from '../../../../../client/client.ts';
import type { FormValues } from '../../kit/form-values.ts';

export type Manifest = AnswerOf<'GET /v1/agents/{agent_id}/instruction-manifest'>;
/** A unit of a manifest as read. */
export type Unit = Manifest['entries'][number];
/** A unit as published. */
export type UnitDraft = BodyOf<'PUT /v1/agents/{agent_id}/instruction-manifest'>['entries'][number];

/** The default entity for the text of a unit. */
export const factUriOf = (agent: string, name: string): string => `instruction:default/agent/${agent}/${name}/v1`;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Reads a unit from a submitted form. */
export const readUnit = (values: FormValues, agent: string): UnitDraft => {
  const name = values.text('name');
  const cid = values.optional('cid');
  const estimate = values.number('estimate');
  const taskTypes = linesOf(values.text('required'));
  return {
    name,
    description: values.text('description'),
    fact_uri: values.optional('factUri') ?? factUriOf(agent, name),
    load_triggers: {
      intents: linesOf(values.text('intents')),
      keywords: linesOf(values.text('keywords')),
      task_types: linesOf(values.text('taskTypes')),
    },
    guarantee_load: values.isChecked('guarantee'),
    ...(cid && { cid }),
    ...(estimate !== undefined && { token_estimate: estimate }),
    ...(taskTypes.length > 0 && { required_by_task_types: taskTypes }),
    ...(values.isChecked('prepend') && { force_position: 'prepend' as const }),
  };
};
