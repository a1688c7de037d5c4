import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { Problem } from '../../kit/problem.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';

type Part = AnswerOf<'GET /v1/audit/verify'>;

interface Check {
  readonly checked: number;
  readonly part: Part;
}

/** Verifies the chain of entries, part by part, to its end or to the first broken link. */
export const ChainCheck = () => {
  const { client } = useSession();
  const { audit: own } = useTexts();
  const [check, setCheck] = useState<Check | undefined>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  useLayoutEffect(() => () => running.current?.abort(), []);
  const verify = async (): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setRunning(true);
    setError(undefined);
    setCheck(undefined);
    try {
      let checked = 0;
      let cursor: string | undefined;
      do {
        const part: Part = await client.call('GET /v1/audit/verify', { query: { ...(cursor && { cursor }) }, signal });
        checked += part.checked;
        setCheck({ checked, part });
        cursor = part.ok && part.next_cursor !== null ? String(part.next_cursor) : undefined;
      } while (cursor !== undefined);
    } catch (problem) {
      if (!signal.aborted) setError(problem);
    } finally {
      setRunning(false);
    }
  };
  return (
    <section class="chain-check">
      <Button
        text={isRunning ? own.stop : own.verify}
        onClick={() => (isRunning ? running.current?.abort() : void verify())}
      />
      <div role="status">{check !== undefined && <Verdict check={check} isRunning={isRunning} />}</div>
      {error !== undefined && <Problem error={error} />}
    </section>
  );
};

const Verdict = ({ check, isRunning }: { check: Check; isRunning: boolean }) => {
  const { audit: own } = useTexts();
  const { checked, part } = check;
  const { ok, problem, verified, head, checkpoint, next_cursor: next } = part;
  if (!ok) {
    return (
      <p>
        <span class="tag bad">{own.broken}</span>{' '}
        {problem !== null && fill(own.brokenAt, { place: problem.chain_seq, reason: problem.reason })}
      </p>
    );
  }
  if (isRunning || next !== null) {
    return (
      <p class="job-bar">
        <progress aria-label={own.verify} value={verified?.chain_seq ?? 0} max={Math.max(head?.chain_seq ?? 1, 1)} />
        <span>{plural(own.checked, checked)}</span>
      </p>
    );
  }
  return (
    <p>
      <span class="tag good">{own.holds}</span> {plural(own.checked, checked)}
      {checkpoint !== null && (
        <>
          {' · '}
          {own.checkpoint} <Instant at={checkpoint.created_at} relative />
        </>
      )}
      {head !== null && (
        <>
          <br />
          <code class="shown muted">{head.hash}</code>
        </>
      )}
    </p>
  );
};
