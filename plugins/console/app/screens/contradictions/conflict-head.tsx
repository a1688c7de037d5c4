import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Conflict } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';

interface ConflictHeadProps {
  readonly conflict: Conflict;
  readonly isNamed: boolean;
  readonly onStep: (step: number) => void;
}

/** The subject, age and place of a contradiction. */
export const ConflictHead = ({ conflict, isNamed, onStep }: ConflictHeadProps) => {
  const { contradictions: texts } = useTexts();
  const title = useRef<HTMLHeadingElement>(null);
  const { fact_a: fact, detected_at: since } = conflict;
  useLayoutEffect(() => {
    // A reader who came by keyboard continues here.
    if (isNamed) title.current?.focus();
  }, []);
  return (
    <header class="conflict-head">
      <div>
        <h2 id="conflict-title" tabIndex={-1} ref={title}>
          <a href={addressOf('entities', { uri: fact.entity })}>
            <ShownText text={fact.entity} />
          </a>{' '}
          <ShownText text={fact.relation} />
        </h2>
        <p class="muted">
          {conflict.status === 'resolved' ? texts.found : texts.since} <Instant at={since} /> (
          <Instant at={since} relative />) <span class="tag">{fact.scope}</span>{' '}
          {fact.garden_id !== null && (
            <span class="tag">
              <ShownText text={fact.garden_id} />
            </span>
          )}
        </p>
      </div>
      <div class="conflict-steps">
        <button type="button" aria-label={texts.previous} onClick={() => onStep(-1)}>
          ↑
        </button>
        <button type="button" aria-label={texts.next} onClick={() => onStep(1)}>
          ↓
        </button>
      </div>
    </header>
  );
};
