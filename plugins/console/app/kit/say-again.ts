import type { Fact, FactClient } from '../../../../client/client.ts';
import { nowMs } from './platform.ts';
import type { Step } from './use-steps.ts';

interface Saying {
  readonly client: FactClient;
  /** The reader, in whose name the value is said. */
  readonly source: string;
  readonly change: string;
}

/** The write that says the value of an ended fact again, as a new fact that follows from it. */
export const sayAgain = (fact: Fact, { client, source, change }: Saying): Step => ({
  id: fact.id,
  name: nameOfFact(fact),
  change,
  run(idempotencyKey) {
    const { entity, relation, value, scope, garden_id, confidence, valid_until: until } = fact;
    const isOver = until !== null && Date.parse(until) <= nowMs();
    return client.assert(
      {
        entity,
        relation,
        value,
        scope,
        garden_id,
        confidence,
        source,
        ...(until !== null && !isOver && { valid_until: until }),
        derived_from: [{ fact_id: fact.id }],
      },
      { idempotencyKey },
    );
  },
});

export const nameOfFact = ({ entity, relation }: Pick<Fact, 'entity' | 'relation'>): string => `${entity} ${relation}`;
