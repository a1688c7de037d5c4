import type { StylesheetJson } from 'cytoscape';

/** The look of a graph, in the colours of the page. */
export const graphStyle = (place: HTMLElement): StylesheetJson => {
  const colour = colourReader(place);
  return [
    {
      selector: 'node',
      style: {
        width: 22,
        height: 22,
        'background-color': colour('--ground'),
        'border-width': 2,
        'border-color': colour('--accent'),
        label: 'data(name)',
        color: colour('--text'),
        'font-size': 14,
        'font-family': 'system-ui, sans-serif',
        'text-valign': 'bottom',
        'text-margin-y': 4,
        'text-wrap': 'ellipsis',
        'text-max-width': '150px',
        'text-background-color': colour('--raised'),
        'text-background-opacity': 0.85,
        'text-background-padding': '1px',
      },
    },
    {
      selector: 'node.seed',
      style: {
        width: 32,
        height: 32,
        'background-color': colour('--accent'),
        'font-weight': 'bold',
        'text-max-width': '220px',
      },
    },
    { selector: 'node.far', style: { width: 16, height: 16, 'border-color': colour('--muted') } },
    {
      selector: 'edge',
      style: {
        width: 1.5,
        'line-color': colour('--line'),
        'curve-style': 'straight',
        label: 'data(name)',
        color: colour('--muted'),
        'font-size': 11,
        'text-background-color': colour('--raised'),
        'text-background-opacity': 0.9,
        'text-background-padding': '1px',
      },
    },
  ];
};

/**
 * Returns a function that resolves a colour variable. A variable may depend on light or dark mode, which only the style
 * of an element resolves.
 */
const colourReader = (place: HTMLElement): ((name: string) => string) => {
  const { style } = place;
  return (name) => {
    const before = style.color;
    style.color = `var(${name})`;
    const resolved = getComputedStyle(place).color;
    style.color = before;
    return resolved;
  };
};
