* Shares, tables and differences from readings.csv. Run it in the folder of the deposit:  do analyse.do
* Then, for a table and the differences of a reading between groups of an undisguised question:
*   by_group reading_1 year -5 5        (the two numbers are low and high in readings_columns.csv)
version 14

mata:
real scalar score_limit(real scalar room, real scalar v, real scalar third, real scalar n) {
    real scalar z, unseen, skew, part
    if (room <= 0) return(0)
    z = invnormal(.975)
    unseen = z^2 * room^2
    skew = (n * third + unseen * (room - v / room)) / (n * v + unseen)
    part = z^2 / n
    return((part * skew + sqrt((part * skew)^2 + 4 * (1 + part) * part * v)) / (2 * (1 + part)))
}
real rowvector figure(real colvector x, real scalar low, real scalar high, real scalar n, real scalar e, real scalar q) {
    real scalar m, v, third
    m = mean(x)
    v = mean((x :- m):^2)
    third = mean((x :- m):^3)
    if (n == .) n = v / e^2
    return((m, e, m - q * score_limit(m - low, v, -third, n), m + q * score_limit(high - m, v, third, n)))
}
void share_of(string scalar name, real scalar low, real scalar high) {
    real colvector x
    real rowvector f
    real scalar n
    x = select(st_data(., name), st_data(., name) :< .)
    n = rows(x)
    f = figure(x, low, high, n, sqrt(mean((x :- mean(x)):^2) / (n - 1)), 1)
    printf("%s: %6.4f (standard error %6.4f, 95 %% interval %6.4f to %6.4f)\n", name, f[1], f[2], f[3], f[4])
}
void groups_of(string scalar name, string scalar by, real scalar low, real scalar high) {
    real colvector x, own, inside, kept
    real matrix all, f, influences
    real scalar n, g, h, e
    string colvector labels
    all = st_data(., (name, "__group"))
    kept = (all[., 1] :< .) :& (all[., 2] :< .)
    all = select(all, kept)
    n = rows(all)
    f = J(0, 4, .)
    influences = J(n, 0, .)
    labels = st_vlmap("__group_label", uniqrows(all[., 2]))
    for (g = 1; g <= rows(labels); g++) {
        inside = all[., 2] :== uniqrows(all[., 2])[g]
        own = select(all[., 1], inside)
        influences = influences, inside :* (all[., 1] :- mean(own)) / sum(inside)
        e = sqrt(n / (n - 1) * sum(influences[., g]:^2))
        f = f \ figure(own, min(own \ low), max(own \ high), ., e, invttail(sum(inside) - 1, .025) / invnormal(.975))
        printf("%s: %6.4f (standard error %6.4f, 95 %% interval %6.4f to %6.4f)\n", labels[g], f[g, 1], f[g, 2], f[g, 3], f[g, 4])
    }
    for (g = 1; g < rows(labels); g++) {
        for (h = g + 1; h <= rows(labels); h++) {
            e = sqrt(n / (n - 1) * sum((influences[., g] - influences[., h]):^2))
            printf("%s - %s: %6.4f (standard error %6.4f, 95 %% interval %6.4f to %6.4f)\n", labels[g], labels[h],
                f[g, 1] - f[h, 1], e,
                f[g, 1] - f[h, 1] - sqrt((f[g, 1] - f[g, 3])^2 + (f[h, 4] - f[h, 1])^2),
                f[g, 1] - f[h, 1] + sqrt((f[g, 4] - f[g, 1])^2 + (f[h, 1] - f[h, 3])^2))
        }
    }
}
end

capture program drop by_group
program by_group
    args name by low high
    capture drop __group
    encode `by', generate(__group) label(__group_label)
    mata: groups_of("`name'", "`by'", `low', `high')
end

import delimited using readings_columns.csv, varnames(1) stringcols(1 2 3 4) clear
drop if column == ""
local count = _N
forvalues row = 1/`count' {
    local name`row' = column[`row']
    local what`row' = question[`row'] + " = " + value[`row']
    local low`row' = low[`row']
    local high`row' = high[`row']
}
import delimited using readings.csv, varnames(1) clear
forvalues row = 1/`count' {
    display "`what`row''"
    mata: share_of("`name`row''", `low`row'', `high`row'')
}
