import type { ComponentChildren } from 'preact';
import { fill, plural } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ScrollBox } from './scroll-box.tsx';
import { ShownText } from './shown-text.tsx';
import { type FailedStep, type Step, useSteps } from './use-steps.ts';
import { useTexts } from './use-texts.ts';

interface LeftOut {
  readonly why: string;
  readonly names: readonly string[];
}

interface BulkDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** The writes, in their order. The dialog shows each before it sends any. */
  readonly steps: readonly Step[];
  /** Items that stay as they are, with the reason. */
  readonly leftOut?: LeftOut | undefined;
  /** The effect of an undo. */
  readonly undo: string;
  /** Called when the dialog closes, with the ids of the writes that are done. */
  readonly onClose: (done: ReadonlySet<string>) => void;
  /** Choices above the preview. */
  readonly children?: ComponentChildren;
}

/** Shows each of many writes, sends them, and names those that failed. */
export const BulkDialog = (props: BulkDialogProps) => {
  const { title, submit, isDangerous = false, steps, leftOut, undo, onClose, children } = props;
  const texts = useTexts();
  const { isRunning, done, failed, run, stop, doneByNow } = useSteps();
  const hasBegun = isRunning || done.size > 0 || failed.length > 0;
  const waiting = steps.filter(({ id }) => !done.has(id)).length;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await run(steps)) onClose(doneByNow());
  };
  // A write that is under way still counts, so that its undo is offered too.
  const leave = (): void => (isRunning ? stop() : onClose(done));
  return (
    <Dialog title={title} onClose={leave}>
      <form onSubmit={(event) => void send(event)}>
        {!hasBegun && children}
        {!hasBegun && <Preview steps={steps} leftOut={leftOut} />}
        <p class="hint">{undo}</p>
        {hasBegun && (
          <p class="job-bar" role="status">
            <progress aria-label={texts.bulk.progress} value={done.size} max={Math.max(steps.length, 1)} />
            {fill(texts.bulk.doneOf, { done: done.size, total: steps.length })}
          </p>
        )}
        {failed.length > 0 && <Failures failed={failed} waiting={waiting - failed.length} />}
        <div class="dialog-end">
          <Button text={isRunning ? texts.bulk.stop : hasBegun ? texts.close : texts.cancel} onClick={leave} />
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={isRunning || waiting === 0}
            data-first-focus={children === undefined || undefined}
          >
            {isRunning ? `${texts.working}…` : failed.length > 0 ? plural(texts.bulk.again, waiting) : submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

const Preview = ({ steps, leftOut }: Pick<BulkDialogProps, 'steps' | 'leftOut'>) => {
  const { bulk: texts } = useTexts();
  return (
    <>
      <h3>{plural(texts.changes, steps.length)}</h3>
      {steps.length > 0 && (
        <ScrollBox class="bulk-preview" label={texts.preview}>
          <ul>
            {steps.map(({ id, name, change }) => (
              <li key={id}>
                <strong>
                  <ShownText text={name} />
                </strong>{' '}
                <bdi>{change}</bdi>
              </li>
            ))}
          </ul>
        </ScrollBox>
      )}
      {leftOut !== undefined && leftOut.names.length > 0 && (
        <>
          <p>{leftOut.why}</p>
          <ScrollBox class="bulk-preview" label={leftOut.why}>
            <ul>
              {leftOut.names.map((name) => (
                <li key={name}>
                  <ShownText text={name} />
                </li>
              ))}
            </ul>
          </ScrollBox>
        </>
      )}
    </>
  );
};

const Failures = ({ failed, waiting }: { failed: readonly FailedStep[]; waiting: number }) => {
  const { bulk: texts } = useTexts();
  return (
    <div class="problem" role="alert">
      <strong>{plural(texts.failed, failed.length)}</strong>
      <ul>
        {failed.map(({ step, error }) => (
          <li key={step.id}>
            <ShownText text={step.name} />: <bdi>{error instanceof Error ? error.message : String(error)}</bdi>
          </li>
        ))}
      </ul>
      {waiting > 0 && <p>{plural(texts.waiting, waiting)}</p>}
    </div>
  );
};
