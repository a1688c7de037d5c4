import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { nameKnownLanguage } from '../../kit/platform.ts';
import { Problem } from '../../kit/problem.tsx';
import { useSession } from '../../session/session.ts';
import { fill, LOCALE, plural, spellNumber } from '../../texts/texts.ts';
import type { DrawnCounts } from './draw-counts.ts';
import { type Count, type Period, useCounts } from './use-counts.ts';

const PERIODS: readonly Period[] = ['day', 'month'];
const LOCAL = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

/** The number of valid facts over time, as a line and as a table. */
export const CountsSection = ({ round }: { round: number }) => {
  const { client, texts, own } = useSession('overview');
  const [period, setPeriod] = useState<Period>('day');
  const [pointed, setPointed] = useState<number>();
  const { counts, read, error, hasRest, readRest } = useCounts(client, period, round);
  const shown = counts[pointed ?? counts.length - 1];
  const isReading = error === undefined && !hasRest && read < counts.length;
  return (
    <section class="fact-counts" aria-labelledby="counts">
      <div class="bar">
        <h2 id="counts">{own.counts}</h2>
        <label class="inline-field">
          {own.period}
          <select value={period} onChange={({ currentTarget }) => setPeriod(currentTarget.value as Period)}>
            {PERIODS.map((each) => (
              <option key={each} value={each}>
                {own.periods[each]}
              </option>
            ))}
          </select>
        </label>
        {isReading && <progress aria-label={texts.loading} value={read} max={counts.length} />}
      </div>
      <p class="counts-at">
        {shown && shown.total !== null && (
          <>
            <span class="figure">{spellNumber(shown.total)}</span>{' '}
            <span class="muted">
              {fill(pointed === undefined ? own.now : own.then, { at: LOCAL.format(shown.ms) })}
            </span>
          </>
        )}
      </p>
      {error !== undefined && <Problem error={error} />}
      {hasRest && (
        <p class="hint">
          {fill(own.notAllCounted, { read, all: counts.length })}{' '}
          <Button text={own.countRest} class="link" onClick={readRest} />
        </p>
      )}
      <Line counts={counts} label={own.line} onPoint={setPointed} />
      <CountsTable counts={counts} />
    </section>
  );
};

interface LineProps {
  readonly counts: readonly Count[];
  readonly label: string;
  readonly onPoint: (at: number | undefined) => void;
}

/** The drawing library loads on first use. */
const Line = ({ counts, label, onPoint }: LineProps) => {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnCounts | undefined>(undefined);
  const latest = useRef(counts);
  latest.current = counts;
  useLayoutEffect(() => {
    let isGone = false;
    nameKnownLanguage();
    import('./draw-counts.ts').then(({ drawCounts }) => {
      if (isGone || place.current === null) return;
      drawn.current = drawCounts(place.current, latest.current, onPoint);
    }, onLibraryMissing);
    return () => {
      isGone = true;
      drawn.current?.remove();
    };
  }, []);
  useLayoutEffect(() => drawn.current?.show(counts), [counts]);
  return <div class="counts-line" role="img" aria-label={label} ref={place} />;
};

/** Ignores a missing drawing library, because the table shows the same data. */
const onLibraryMissing = (): void => undefined;

const CountsTable = ({ counts }: { counts: readonly Count[] }) => {
  const { own } = useSession('overview');
  const known = counts.filter(({ total }) => total !== null);
  return (
    <details>
      <summary>{plural(own.asTable, known.length)}</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{own.at}</th>
              <th scope="col" class="number">
                {own.factsThen}
              </th>
            </tr>
          </thead>
          <tbody>
            {known.toReversed().map(({ ms, total }) => (
              <tr key={ms}>
                <td>
                  <time dateTime={new Date(ms).toISOString()} title={new Date(ms).toISOString()}>
                    {LOCAL.format(ms)}
                  </time>
                </td>
                <td class="number">{typeof total === 'number' && spellNumber(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
};
