import { NumberTerm } from '../../kit/number-terms.tsx';
import { may, useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';
import { OverviewCard } from './overview-card.tsx';
import { histogramOf, LEAST_VALUES, quantileOf, type Sample } from './read-metrics.ts';

const STEPS = ['embed', 'wait', 'search', 'summary', 'score'] as const;

/** The duration of recalls since the start of the node, estimated from its histograms. */
export const LatencyCard = ({ samples }: { samples: readonly Sample[] }) => {
  const { texts, setup, reader } = useSession();
  const screen = may(reader, 'read') ? 'recall' : undefined;
  const { overview: own } = texts;
  const prefix = setup.service.replaceAll('-', '_');
  const whole = histogramOf(samples, `${prefix}_http_request_seconds`, ({ route }) => route === '/v1/recall');
  if (whole.count === 0) {
    return (
      <OverviewCard title={own.latency} screen={screen}>
        <p class="muted">{own.noRecalls}</p>
      </OverviewCard>
    );
  }
  if (whole.count < LEAST_VALUES) {
    return (
      <OverviewCard title={own.latency} screen={screen}>
        <p>{plural(own.recalls, whole.count)}</p>
        <p class="muted">{fill(own.tooFew, { least: LEAST_VALUES })}</p>
      </OverviewCard>
    );
  }
  return (
    <OverviewCard title={own.latency} screen={screen}>
      <p class="figure">{shownMs(quantileOf(whole, 0.5))}</p>
      <p>
        {fill(own.slowest, { time: shownMs(quantileOf(whole, 0.95)) })}{' '}
        <span class="muted">{plural(own.recalls, whole.count)}</span>
      </p>
      <details>
        <summary>{own.steps}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{own.step}</th>
              <th scope="col">
                <NumberTerm name="half">{own.half}</NumberTerm>
              </th>
              <th scope="col">
                <NumberTerm name="most">{own.most}</NumberTerm>
              </th>
            </tr>
          </thead>
          <tbody>
            {STEPS.map((step) => {
              const took = histogramOf(samples, `${prefix}_recall_stage_seconds`, ({ stage }) => stage === step);
              return (
                <tr key={step}>
                  <th scope="row">{own.stepNames[step]}</th>
                  <td class="number">{shownMs(quantileOf(took, 0.5))}</td>
                  <td class="number">{shownMs(quantileOf(took, 0.95))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </details>
    </OverviewCard>
  );
};

const shownMs = (seconds: number | undefined): string => {
  if (seconds === undefined) return '–';
  const ms = seconds * 1_000;
  if (ms >= 1_000) return `${seconds.toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
};
