import { FactMemoryError } from '../../../../../client/client.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { FactLine } from '../../kit/fact-line.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';
import type { Entry } from './audit.tsx';

type Recall = NonNullable<Entry['recall']>;

/** The best facts of a recall, each as far as the reader may see it. */
export const RecalledFacts = ({ recall, onClose }: { recall: Recall; onClose: () => void }) => {
  const { client, own } = useSession('audit');
  const asked = useRequest(
    (signal) =>
      Promise.all(
        recall.fact_ids.map((id) =>
          client.call('GET /v1/facts/{id}', { params: { id }, signal }).catch((error: unknown) => {
            // A fact that is hidden from the reader, or is gone, is as unknown as any other.
            if (error instanceof FactMemoryError && error.status === 404) return undefined;
            throw error;
          }),
        ),
      ),
    [recall],
  );
  return (
    <Dialog title={own.recalled} onClose={onClose}>
      <Answer asked={asked}>
        {(found) => {
          const facts = found.filter((fact) => fact !== undefined);
          const hidden = found.length - facts.length;
          const rest = recall.facts - found.length;
          return (
            <>
              <ul class="latest">
                {facts.map((fact) => (
                  <li key={fact.id}>
                    <FactLine fact={fact} />
                  </li>
                ))}
              </ul>
              <p class="muted after-table">
                {fill(own.recalledTokens, { tokens: recall.tokens })} {hidden > 0 && plural(own.recalledHidden, hidden)}{' '}
                {rest > 0 && plural(own.recalledRest, rest)}
              </p>
            </>
          );
        }}
      </Answer>
    </Dialog>
  );
};
