import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { AreaField, ChoiceField, TextField } from '../../kit/form-fields.tsx';
import { type FormValues, readForm } from '../../kit/form-values.ts';
import { namesOf } from '../../kit/narrowing.ts';
import { Problem } from '../../kit/problem.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { ImportResult } from './import-result.tsx';
import { RecentImports } from './recent-imports.tsx';
import {
  base64Of,
  type ImportBody,
  type ImportProgress,
  MAX_FILE_BYTES,
  sendImport,
  startImport,
} from './send-import.ts';

type Done = Awaited<ReturnType<typeof sendImport>>;

/** The members of a request that the form gives; the file is read apart. */
const bodyOf = (values: FormValues, file: File, content: string, isTrial: boolean): ImportBody => {
  const map = namesOf(values.text('map'));
  const prefix = values.text('prefix');
  return {
    name: file.name,
    content,
    modified_at: new Date(file.lastModified).toISOString(),
    scope: values.text('scope') as NonNullable<ImportBody['scope']>,
    ...(prefix === '' ? {} : { source_prefix: prefix }),
    ...(map.length === 0 ? {} : { map }),
    dry_run: isTrial,
  };
};

/** Tries the export of another product, shows the sums, and then imports it. */
export const Import = () => {
  const { client, texts, reader, setup, own } = useSession('import');
  const [file, setFile] = useState<File>();
  const [done, setDone] = useState<Done>();
  const [error, setError] = useState<unknown>();
  const [progress, setProgress] = useState<ImportProgress>();
  const [isRunning, setRunning] = useState(false);
  const [round, setRound] = useState(0);
  const hasJobs = hasRoute(setup, 'GET /v1/jobs');
  const form = useRef<HTMLFormElement>(null);
  const running = useRef<AbortController | undefined>(undefined);
  useLayoutEffect(() => () => running.current?.abort(), []);
  const forget = (): void => {
    setDone(undefined);
    setError(undefined);
  };
  const run = async (isTrial: boolean): Promise<void> => {
    if (form.current?.reportValidity() !== true || file === undefined) return;
    const controller = new AbortController();
    running.current = controller;
    const values = readForm(form.current);
    forget();
    setProgress(undefined);
    setRunning(true);
    try {
      const body = bodyOf(values, file, await base64Of(file), isTrial);
      if (!isTrial && hasJobs) {
        await startImport(client, body, controller.signal);
        setRound((before) => before + 1);
      } else {
        setDone(await sendImport(client, { body, signal: controller.signal }, setProgress));
      }
    } catch (problem) {
      setError(controller.signal.aborted ? new Error(own.stopped) : problem);
    } finally {
      setRunning(false);
    }
  };
  return (
    <>
      <ScreenHead title={texts.screens.import} />
      <p class="lead">{own.lead}</p>
      <form ref={form} onChange={forget} onSubmit={(event) => event.preventDefault()}>
        <Field label={own.file} hint={own.fileHint}>
          {(ids) => (
            <input
              {...ids}
              type="file"
              required
              onChange={({ currentTarget: input }) => {
                const chosen = input.files?.[0];
                input.setCustomValidity((chosen?.size ?? 0) > MAX_FILE_BYTES ? own.tooLarge : '');
                setFile(chosen);
              }}
            />
          )}
        </Field>
        <ChoiceField name="scope" label={own.scope} options={reader.allowed_scopes} />
        <details>
          <summary>{own.more}</summary>
          <TextField name="prefix" label={own.prefix} hint={own.prefixHint} value="import:" maxLength={256} />
          <AreaField name="map" label={own.map} hint={own.mapHint} />
        </details>
        <p class="bar">
          <Button
            text={own.try}
            class={done?.dry_run ? '' : 'primary'}
            disabled={isRunning}
            onClick={() => void run(true)}
          />
          {done?.dry_run && <Button text={own.import} class="primary" onClick={() => void run(false)} />}
          {isRunning && <Button text={own.stop} onClick={() => running.current?.abort()} />}
        </p>
      </form>
      {isRunning && (
        <p class="job-bar" role="status">
          <progress aria-label={own.progress} value={progress?.done_bytes ?? 0} max={progress?.total_bytes || 1} />
          <span>{fill(own.soFar, { facts: progress?.facts ?? 0 })}</span>
        </p>
      )}
      {error !== undefined && <Problem error={error} />}
      {done !== undefined && <ImportResult done={done} />}
      {hasJobs && may(reader, 'read') && <RecentImports round={round} />}
    </>
  );
};
