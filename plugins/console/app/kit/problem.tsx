import { useEffect, useRef } from 'preact/hooks';
import { ConnectionError, FactMemoryError } from '../../../../client/client.ts';
import { fill } from '../texts/texts.ts';
import { useTexts } from './use-texts.ts';

/**
 * What did not work: the node's own words, the members that it refused where they are several, and by what its log
 * knows the request.
 */
export const Problem = ({ error, retry }: { error: unknown; retry?: () => void }) => {
  const { problem, retry: retryText } = useTexts();
  const known = error instanceof FactMemoryError ? error : undefined;
  const detail =
    error instanceof ConnectionError
      ? problem.connection
      : (known?.detail ?? (error instanceof Error ? error.message : String(error)));
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A form may be longer than its dialog: what is wrong with it would stay out of sight.
    if (element.current?.closest('dialog')) element.current.scrollIntoView({ block: 'nearest' });
  }, [error]);
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
      {known?.requestId !== undefined && <p class="muted">{fill(problem.request, { id: known.requestId })}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {retryText}
        </button>
      )}
    </div>
  );
};
