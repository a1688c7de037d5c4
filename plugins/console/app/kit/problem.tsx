import { useLayoutEffect, useRef } from 'preact/hooks';
import { ConnectionError, FactMemoryError } from '../../../../client/client.ts';
import { fill } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { useSharedProblem } from './shared-problem.ts';
import { useTexts } from './use-texts.ts';

/**
 * An error: the node's message, the refused members if there are several, and the id of the request in the node's log.
 */
export const Problem = ({ error, retry }: { error: unknown; retry?: () => void }) => {
  const { problem, retry: retryText } = useTexts();
  const known = error instanceof FactMemoryError ? error : undefined;
  const detail =
    error instanceof ConnectionError
      ? problem.connection
      : (known?.detail ?? (error instanceof Error ? error.message : String(error)));
  const hint = hintOf(known?.body);
  const { isShown, retryAll } = useSharedProblem(detail, retry);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // In a long form the message might be out of sight.
    if (element.current?.closest('dialog')) element.current.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (!isShown) return null;
  return (
    <div class="problem" role="alert" ref={element}>
      <strong>{problem.title}</strong>
      <p>
        <bdi>{detail}</bdi>
      </p>
      {known !== undefined && known.errors.length > 1 && (
        <ul>
          {known.errors.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      )}
      {hint !== undefined && (
        <p>
          <bdi>{hint}</bdi>
        </p>
      )}
      {known?.requestId !== undefined && <p class="muted">{fill(problem.request, { id: known.requestId })}</p>}
      {retry !== undefined && <Button text={retryText} onClick={retryAll} />}
    </div>
  );
};

/** The advice of the node, in the document of its reply. */
const hintOf = (body: unknown): string | undefined => {
  const { hint } = (body ?? {}) as { readonly hint?: unknown };
  return typeof hint === 'string' ? hint : undefined;
};
