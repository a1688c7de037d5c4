import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { AreaField, ChecksField, TextField } from '../../kit/form-fields.tsx';
import { readForm } from '../../kit/form-values.ts';
import { Problem } from '../../kit/problem.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useTexts } from '../../kit/use-texts.ts';
import { useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';

type Loaded = AnswerOf<'POST /v1/agents/{agent_id}/recall-instruction'>;

/** The instructions that an agent would get for an intent. */
export const IntentTrial = ({ agent, names }: { agent: string; names: readonly string[] }) => {
  const { client, texts, own } = useSession('instructions');
  const [loaded, setLoaded] = useState<Loaded | undefined>();
  const action = useAction();
  const load = (event: Event): void => {
    event.preventDefault();
    const values = readForm(event.currentTarget as HTMLFormElement);
    void action.run(async () => {
      const body = {
        intent: values.text('intent'),
        max_chunks: values.number('chunks'),
        token_budget: values.number('budget'),
        manifest_hint: values.many('hints'),
      };
      const params = { agent_id: agent };
      setLoaded(await client.call('POST /v1/agents/{agent_id}/recall-instruction', { params, body }));
    });
  };
  return (
    <section>
      <h2>{own.trial}</h2>
      <p class="lead">{own.trialLead}</p>
      <form onSubmit={load}>
        <AreaField name="intent" label={own.intent} hint={own.intentHint} rows={2} isRequired />
        <div class="side-by-side">
          <TextField name="chunks" label={own.chunks} type="number" min={1} max={20} value="3" isRequired />
          <TextField name="budget" label={own.budget} type="number" min={1} max={100_000} value="2000" isRequired />
        </div>
        <ChecksField name="hints" label={own.hints} options={names} />
        <button type="submit" class="primary" disabled={action.isWorking}>
          {action.isWorking ? `${texts.working}…` : own.load}
        </button>
      </form>
      {action.error !== undefined && <Problem error={action.error} />}
      <div aria-live="polite">{loaded !== undefined && <LoadedUnits loaded={loaded} />}</div>
    </section>
  );
};

const LoadedUnits = ({ loaded }: { loaded: Loaded }) => {
  const { instructions: own } = useTexts();
  const { chunks, total_tokens: tokens, truncated, missed_hints: missed } = loaded;
  return (
    <>
      <p class="loaded-head">
        {plural(own.loaded, chunks.length)} · {plural(own.tokens, tokens)}{' '}
        {truncated && <span class="tag warn">{own.truncated}</span>}{' '}
        {missed.length > 0 && <span class="tag warn">{fill(own.missed, { names: missed.join(', ') })}</span>}
      </p>
      {chunks.length === 0 && <Empty title={own.nothingLoaded} />}
      {chunks.map((chunk) => (
        <article key={chunk.name} class="card loaded-unit">
          <p class="fact-says">
            <strong>
              <ShownText text={chunk.name} />
            </strong>
            <span class="tag">{fill(own.score, { score: chunk.score.toFixed(2) })}</span>
            <span class="tag">{plural(own.tokens, chunk.tokens)}</span>
          </p>
          <p class="muted">
            <ShownText text={chunk.fact_uri} /> · <ShownText text={chunk.source} />
          </p>
          <pre>
            <ShownText text={chunk.content} short={false} />
          </pre>
        </article>
      ))}
    </>
  );
};
