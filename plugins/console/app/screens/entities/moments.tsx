import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { Instant, localTime } from '../../kit/instant.tsx';
import { instantOf } from '../../kit/moment-field.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useDebounced } from '../../kit/use-debounced.ts';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { type Moment, msOf, readMoments, stepOf } from './read-moments.ts';

interface MomentsProps {
  readonly uri: string;
  /** The shown moment; undefined for now. */
  readonly asOf: string | undefined;
  readonly onChoose: (asOf: string | undefined) => void;
}

/** Selects the shown moment, with a slider over the moments of change. Its last position is now. */
export const Moments = ({ uri, asOf, onChoose }: MomentsProps) => {
  const { client, texts } = useSession();
  const { moments: words } = texts;
  const asked = useRequest((signal) => readMoments(client, uri, signal), [uri]);
  const steps = asked.data?.steps ?? [];
  const [dragged, drag] = useState<number>();
  const settled = useDebounced(dragged);
  useLayoutEffect(() => {
    if (settled !== undefined && settled === dragged) onChoose(steps[settled]?.asOf);
  }, [settled]);
  const jump = (to: string | undefined): void => {
    drag(undefined);
    onChoose(to);
  };
  const place = dragged ?? (asOf === undefined ? steps.length : Math.max(0, stepOf(steps, asOf)));
  return (
    <section class="moments" data-past={place < steps.length || asOf !== undefined} aria-label={words.title}>
      <Shown asOf={asOf} step={steps[place]} isExact={dragged !== undefined || steps[place]?.asOf === asOf} />
      {asked.error !== undefined && <Problem error={asked.error} retry={asked.reload} />}
      {(steps.length > 0 || asked.isLoading) && <Slider steps={steps} place={place} onDrag={drag} />}
      <div class="moments-ways">
        <Button text={words.earlier} disabled={place <= 0 || steps.length === 0} onClick={() => drag(place - 1)} />
        <Button text={words.later} disabled={place >= steps.length} onClick={() => drag(place + 1)} />
        <Button text={words.toNow} disabled={asOf === undefined} onClick={() => jump(undefined)} />
        <AnyMoment onChoose={jump} />
      </div>
      {asked.data?.isCut && <p class="muted">{fill(words.truncated, { count: steps.length })}</p>}
    </section>
  );
};

interface SliderProps {
  readonly steps: readonly Moment[];
  readonly place: number;
  readonly onDrag: (place: number) => void;
}

const Slider = ({ steps, place, onDrag }: SliderProps) => {
  const { moments: words } = useSession().texts;
  const step = steps[place];
  const spoken =
    step === undefined
      ? words.now
      : fill(words.step, { what: `${words.events[step.what]} ${step.relation}`, at: localTime(step.ms) });
  return (
    <div class="moments-slider">
      <input
        type="range"
        disabled={steps.length === 0}
        min={0}
        max={Math.max(1, steps.length)}
        step={1}
        value={steps.length === 0 ? 1 : place}
        aria-label={words.slider}
        aria-valuetext={spoken}
        onInput={({ currentTarget }) => onDrag(Number(currentTarget.value))}
      />
      <span class="muted">{words.now}</span>
    </div>
  );
};

interface ShownMoment {
  readonly asOf: string | undefined;
  readonly step: Moment | undefined;
  /** True if the moment is that of the step, not a later one. */
  readonly isExact: boolean;
}

const Shown = ({ asOf, step, isExact }: ShownMoment) => {
  const { moments: words } = useSession().texts;
  const ms = isExact && step !== undefined ? step.ms : asOf === undefined ? undefined : msOf(asOf);
  if (asOf === undefined && (step === undefined || !isExact)) return <p role="status">{words.nowText}</p>;
  return (
    <p role="status">
      <strong>{words.thenText}</strong>{' '}
      {ms === undefined ? <ShownText text={asOf ?? ''} /> : <Instant at={new Date(ms).toISOString()} />}
      {isExact && step !== undefined && (
        <span class="muted">
          {' · '}
          {words.events[step.what]} <ShownText text={step.relation} />
        </span>
      )}
    </p>
  );
};

/** A field for any other moment. */
const AnyMoment = ({ onChoose }: { onChoose: (asOf: string) => void }) => {
  const { moments: words } = useSession().texts;
  const id = useId();
  return (
    <span class="moments-any">
      <label for={id}>{words.any}</label>
      <input
        id={id}
        type="datetime-local"
        onChange={({ currentTarget }) => {
          const instant = instantOf(currentTarget.value);
          if (instant !== undefined) onChoose(instant);
        }}
      />
    </span>
  );
};
