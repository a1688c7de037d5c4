import uPlot from 'uplot';
import { onThemeChange } from '../../kit/theme.ts';
import { spellNumber } from '../../texts/texts.ts';
import type { Count } from './use-counts.ts';

const HEIGHT = 220;

export interface DrawnCounts {
  readonly show: (counts: readonly Count[]) => void;
  readonly remove: () => void;
}

/** Draws counts into an element, in its width and in the colours of the page. Reports the point under the pointer. */
export const drawCounts = (
  place: HTMLElement,
  counts: readonly Count[],
  onPoint: (at: number | undefined) => void,
): DrawnCounts => {
  const axis = {
    stroke: () => colourOf(place, '--muted'),
    grid: { stroke: () => colourOf(place, '--line'), width: 1 },
  };
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { y: { range: (_, least, most) => rangeOf(least, most) } },
      axes: [axis, { ...axis, size: 64, values: (_, splits) => splits.map((each) => spellNumber(each)) }],
      series: [
        {},
        {
          stroke: () => colourOf(place, '--accent'),
          fill: () => colourOf(place, '--soft-accent'),
          width: 2,
          points: { show: false },
          spanGaps: true,
        },
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    dataOf(counts),
    place,
  );
  const size = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  size.observe(place);
  const ignoreTheme = onThemeChange(() => plot.redraw());
  return {
    show: (next) => plot.setData(dataOf(next)),
    remove: () => {
      size.disconnect();
      ignoreTheme();
      plot.destroy();
    },
  };
};

const dataOf = (counts: readonly Count[]): uPlot.AlignedData => [
  counts.map(({ ms }) => ms / 1_000),
  counts.map(({ total }) => total),
];

/**
 * Returns the range of the vertical axis. It starts at zero unless that would flatten the line, and never has height
 * zero.
 */
const rangeOf = (least: number | null, most: number | null): [number, number] => {
  const [low, high] = [least ?? 0, most ?? 1];
  const room = Math.max(1, (high - low) * 0.1);
  return [low < high / 2 ? 0 : Math.max(0, low - room), high + room];
};

/** A canvas cannot resolve variables, so the page resolves them, for light and dark. */
const colourOf = (place: HTMLElement, name: string): string => {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};
