import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fill } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';
import { readReply, saveFile } from './save-file.ts';
import { useTexts } from './use-texts.ts';

interface DownloadProps {
  readonly label: string;
  readonly fileName: string;
  /** Requests the file from the node. */
  readonly ask: (signal: AbortSignal) => Promise<Response>;
}

const KIBIBYTE = 1024;

/** Saves a reply of the node as a file, however long that takes. A second click stops it. */
export const DownloadButton = ({ label, fileName, ask }: DownloadProps) => {
  const { download: texts } = useTexts();
  const [bytes, setBytes] = useState<number | undefined>();
  const [error, setError] = useState<unknown>();
  const [isSaved, setSaved] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useLayoutEffect(() => () => running.current?.abort(), []);
  const start = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setSaved(false);
    setBytes(0);
    try {
      saveFile(await readReply(await ask(controller.signal), setBytes), fileName);
      setSaved(true);
    } catch (problem) {
      if (!controller.signal.aborted) setError(problem);
    } finally {
      setBytes(undefined);
    }
  };
  return (
    <div class="download">
      {bytes === undefined ? (
        <Button text={label} onClick={() => void start()} />
      ) : (
        <Button
          text={fill(texts.stop, { size: Math.ceil(bytes / KIBIBYTE) })}
          onClick={() => running.current?.abort()}
        />
      )}
      <span role="status" class="muted">
        {isSaved && fill(texts.saved, { name: fileName })}
      </span>
      {error !== undefined && <Problem error={error} />}
    </div>
  );
};
