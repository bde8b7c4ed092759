# Recompute shares, tables and differences from readings.csv, with base R alone.
# Run it in the folder of the deposit:  Rscript analyse.R
# Or source it, and call:  share("debt", "yes")   by_group("debt", "yes", "year")   differences("debt", "yes", "year")

columns <- read.csv("readings_columns.csv", colClasses = c(rep("character", 4), rep("numeric", 2)), na.strings = character(0))
header <- strsplit(readLines("readings.csv", 1), ",")[[1]]
classes <- ifelse(header %in% columns$question[columns$column == ""], "character", "numeric")
readings <- read.csv("readings.csv", check.names = FALSE, colClasses = classes, na.strings = "")
z <- qnorm(.975)

# A reading of one value, with its smallest and largest possible value.
reading <- function(question, value) {
  row <- columns[columns$question == question & columns$value == value, ]
  stopifnot(nrow(row) == 1)
  x <- if (row$column == "") as.numeric(readings[[question]] == value) else readings[[row$column]]
  list(x = x, low = row$low, high = row$high)
}

score_limit <- function(room, variance, third, n) {
  if (room <= 0) return(0)
  unseen <- z^2 * room^2
  skew <- (n * third + unseen * (room - variance / room)) / (n * variance + unseen)
  part <- z^2 / n
  (part * skew + sqrt((part * skew)^2 + 4 * (1 + part) * part * variance)) / (2 * (1 + part))
}

# The mean of x, with its standard error and score interval: error is its standard error, number its effective size.
interval <- function(x, low, high, number, error, quantile = z) {
  m <- mean(x); v <- mean((x - m)^2); third <- mean((x - m)^3)
  c(estimate = m, standard_error = error,
    low = m - quantile / z * score_limit(m - low, v, -third, number),
    high = m + quantile / z * score_limit(high - m, v, third, number))
}

share <- function(question, value) {
  r <- reading(question, value); x <- r$x[!is.na(r$x)]; n <- length(x)
  interval(x, r$low, r$high, n, sqrt(mean((x - mean(x))^2) / (n - 1)))
}

# What each person adds to the share in a group, as far as the group's mean is concerned.
influence <- function(x, inside) inside * (x - mean(x[inside])) / sum(inside)

# The share in each group of an undisguised question.
by_group <- function(question, value, by) {
  r <- reading(question, value); kept <- !is.na(r$x) & !is.na(readings[[by]]); x <- r$x[kept]; g <- readings[[by]][kept]
  n <- length(x)
  values <- columns$value[columns$question == by & columns$value %in% g]
  t(sapply(values, function(each) {
    inside <- g == each
    error <- sqrt(n / (n - 1) * sum(influence(x, inside)^2))
    own <- x[inside]
    interval(own, min(r$low, own), max(r$high, own), mean((own - mean(own))^2) / error^2, error, qt(.975, sum(inside) - 1))
  }))
}

# The differences between all pairs of groups of an undisguised question (intervals: Zou and Donner 2008).
differences <- function(question, value, by) {
  r <- reading(question, value); kept <- !is.na(r$x) & !is.na(readings[[by]]); x <- r$x[kept]; g <- readings[[by]][kept]
  n <- length(x); f <- by_group(question, value, by)
  pairs <- combn(rownames(f), 2)
  found <- t(apply(pairs, 2, function(pair) {
    one <- f[pair[1], ]; two <- f[pair[2], ]
    a <- influence(x, g == pair[1]); b <- influence(x, g == pair[2])
    error <- sqrt(n / (n - 1) * sum((a - b)^2))
    d <- one[["estimate"]] - two[["estimate"]]
    down <- sqrt((one[["estimate"]] - one[["low"]])^2 + (two[["high"]] - two[["estimate"]])^2)
    up <- sqrt((one[["high"]] - one[["estimate"]])^2 + (two[["estimate"]] - two[["low"]])^2)
    c(difference = d, standard_error = error, low = d - down, high = d + up)
  }))
  rownames(found) <- apply(pairs, 2, paste, collapse = " - ")
  found
}

if (!interactive() && sys.nframe() == 0) {
  for (row in seq_len(nrow(columns))) {
    figure <- share(columns$question[row], columns$value[row])
    cat(sprintf("%s = %s: ", columns$question[row], columns$value[row]))
    cat(sprintf("%.4f (standard error %.4f, 95 %% interval %.4f to %.4f)\n", figure[1], figure[2], figure[3], figure[4]))
  }
}
