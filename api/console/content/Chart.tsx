/** A chart of lines or bars, its legend with the values at the pointer, and the same as a table. Loaded by Blocks.tsx. */
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import { count } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import type { Block } from '../wire/types.ts';
import { type ChartData, plotHeight, plotOptions, toChartData } from './plot.ts';
import { Table } from './Table.tsx';
import { contentTexts } from './texts.tsx';

/** Colours of tokens.css, `--series-1` and so on. */
const colours = 6;

/** Calls a function whenever the page becomes light or dark; returns the end of it. */
const onTheme = (changed: () => void): (() => void) => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const set = new MutationObserver(changed);
  set.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  system.addEventListener('change', changed);
  return () => {
    set.disconnect();
    system.removeEventListener('change', changed);
  };
};

const placeText = ({ places, scale }: ChartData, at: number): string => {
  const place = places[at];
  return typeof place === 'number' ? (scale === 'time' ? whenTime(place) : count(place)) : (place ?? '');
};

const Values = ({ label, data }: { readonly label: string; readonly data: ChartData }) => (
  <Table
    label={label}
    columns={[
      { name: 'x', label: '', type: 'text' },
      ...data.names.map((name, at) => ({ name: String(at), label: name, type: 'number' })),
    ]}
    rows={data.places.map((_, at) => ({
      x: placeText(data, at),
      ...Object.fromEntries(data.columns.map((column, series) => [String(series), column[at] ?? null])),
    }))}
  />
);

export const Chart = ({ block }: { readonly block: Block }) => {
  const data = useMemo(() => toChartData(block), [block]);
  const kind = block['kind'] === 'bar' ? 'bar' : 'line';
  const label = block.title ?? contentTexts.chart;
  const drawn = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const [place, setPlace] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  useEffect(() => {
    const box = drawn.current;
    if (box === null) return undefined;
    const look = {
      colourOf: (series: number): string => {
        const swatch = legend.current?.children[series]?.querySelector('i');
        return swatch == null ? 'gray' : getComputedStyle(swatch).color;
      },
      text: () => getComputedStyle(box).color,
      line: () => getComputedStyle(box).borderTopColor,
      font: `12px ${getComputedStyle(box).fontFamily}`,
    };
    const values = [[...data.xs], ...data.columns.map((column) => [...column])] satisfies unknown[];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first column is x, which has no gaps
    const plot = new uPlot(plotOptions({ data, kind, look, onPlace: setPlace }), values as uPlot.AlignedData, box);
    const size = new ResizeObserver(() => plot.setSize({ width: Math.max(120, box.clientWidth), height: plotHeight }));
    size.observe(box);
    const end = onTheme(() => plot.redraw(false));
    return () => {
      end();
      size.disconnect();
      plot.destroy();
    };
  }, [data, kind]);
  return (
    <figure className="chart">
      <div ref={drawn} className="chart-plot" role="img" aria-label={contentTexts.chartOf(label, data.names)} />
      <figcaption>
        <ul ref={legend} className="chart-legend">
          {data.names.map((name, at) => (
            <li key={at}>
              <i style={{ color: `var(--series-${String((at % colours) + 1)})` }} />
              <span dir="auto">{name}</span>
              {place !== null && <strong>{data.columns[at]?.[place] ?? '–'}</strong>}
            </li>
          ))}
        </ul>
        <span className="soft">{place === null ? '' : placeText(data, place)}</span>
      </figcaption>
      <details onToggle={({ currentTarget }) => setTable(currentTarget.open)}>
        <summary>{contentTexts.asTable}</summary>
        {isTable && <Values label={label} data={data} />}
      </details>
    </figure>
  );
};
