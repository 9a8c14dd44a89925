// Plots and reports by name.
export { type Bar, type BarChartOptions, barChart } from './bars.js';
export { type Correlation, type CorrelationReport, correlationReport } from './correlation-report.js';
export { type EvaluationReport, evaluationReport, resultTexts } from './evaluation-report.js';
export { type HistogramOptions, histogram } from './histogram.js';
export { type LinePlotOptions, linePlot, type Series } from './lines.js';
export { type Compared, predictedPlot, rankPlot, residualPlot } from './predicted.js';
export { type AxisName, type BandPoint, type ScatterOptions, scatterPlot } from './scatter.js';
