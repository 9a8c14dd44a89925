// Plots and reports by name.

export { type Correlation, type CorrelationReport, correlationReport } from './pages/correlation-report.js';
export { type EvaluationReport, evaluationReport, resultTexts } from './pages/evaluation-report.js';
export { type Bar, type BarChartOptions, barChart } from './plots/bars.js';
export { type HistogramOptions, histogram } from './plots/histogram.js';
export { type LinePlotOptions, linePlot, type Series } from './plots/lines.js';
export { type Compared, predictedPlot, rankPlot, residualPlot } from './plots/predicted.js';
export { type AxisName, type BandPoint, type ScatterOptions, scatterPlot } from './plots/scatter.js';
