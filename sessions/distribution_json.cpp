// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/distribution_json.h"

#include "scheduler/error.h"

#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

using Kind = Distribution::Kind;

double required(ObjectReader& reader, const char* key, double minimum, bool above_minimum = false)
{
    const auto value = reader.real(key, minimum, above_minimum);
    if (!value)
        reader.fail(key, fmt::format("a number {} {}", above_minimum ? "above" : "of at least", minimum));
    return *value;
}

// cv or shape, tied by shape = 1 / cv^2.
double gammaShapeOf(ObjectReader& reader)
{
    const auto cv = reader.real("cv", 0, true);
    const auto shape = reader.real("shape", 0, true);
    if (cv && shape) reader.fail("shape", "no shape beside a cv: they are tied by shape = 1 / cv^2");
    if (!cv && !shape) reader.fail("cv", "a number above 0 (or a shape = 1 / cv^2)");
    return cv ? 1.0 / (*cv * *cv) : *shape;
}

std::vector<std::pair<double, double>> readPoints(ObjectReader& reader)
{
    static constexpr const char* k_expected =
        "a list of [share, value] pairs from share 0 to share 1, such as [[0, 5], [0.5, 101], [1, 512]]";
    std::vector<std::pair<double, double>> points;
    const auto* list = reader.find("points");
    if (!list || !list->is_array()) reader.fail("points", k_expected);
    for (const auto& point : *list) {
        const bool pair =
            point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number();
        if (!pair) reader.fail("points", k_expected);
        points.emplace_back(point[0].get<double>(), point[1].get<double>());
    }
    return points;
}

void readParameters(ObjectReader& reader, Distribution& distribution)
{
    switch (distribution.kind) {
    case Kind::Fixed:
        distribution.value = required(reader, "value", 0);
        return;
    case Kind::Uniform:
        distribution.minimum = required(reader, "min", 0);
        distribution.maximum = required(reader, "max", 0);
        return;
    case Kind::Normal:
        distribution.mean = required(reader, "mean", 0);
        distribution.sd = required(reader, "sd", 0);
        return;
    case Kind::Lognormal:
        distribution.mean = required(reader, "mean", 0, true);
        distribution.sigma = required(reader, "sigma", 0);
        return;
    case Kind::Gamma:
        distribution.mean = required(reader, "mean", 0, true);
        distribution.shape = gammaShapeOf(reader);
        return;
    case Kind::Zipf:
        distribution.exponent = required(reader, "exponent", 0);
        distribution.maximum = required(reader, "max", 1);
        return;
    case Kind::Quantiles:
        distribution.points = readPoints(reader);
        return;
    }
}

} // namespace

std::optional<Distribution> readDistribution(ObjectReader& parent, const std::string& key)
{
    if (parent.isNull(key)) return std::nullopt;
    const auto& value = *parent.find(key);
    Distribution distribution;
    if (value.is_number()) {
        distribution.value = *parent.real(key, 0);
        return distribution;
    }
    ObjectReader reader(value, parent.pathOf(key), parent.pointerOf(key), parent.context());
    std::vector<std::string> names;
    for (const Kind kind : distributionKinds())
        names.push_back(distributionName(kind));
    const std::string name = reader.choice("distribution", "", names);
    for (const Kind kind : distributionKinds())
        if (distributionName(kind) == name) distribution.kind = kind;
    readParameters(reader, distribution);
    reader.finish();
    try { // bounds that tie parameters to each other
        const Draws checked(distribution, parent.pathOf(key));
    } catch (const SchedulerError& error) {
        throw DocumentError((parent.context().file.empty() ? "" : parent.context().file + ": ") +
                            error.what());
    }
    return distribution;
}

nlohmann::json distributionToJson(const Distribution& of)
{
    nlohmann::json json = {{"distribution", distributionName(of.kind)}};
    switch (of.kind) {
    case Kind::Fixed:
        json["value"] = of.value;
        break;
    case Kind::Uniform:
        json["min"] = of.minimum;
        json["max"] = of.maximum;
        break;
    case Kind::Normal:
        json["mean"] = of.mean;
        json["sd"] = of.sd;
        break;
    case Kind::Lognormal:
        json["mean"] = of.mean;
        json["sigma"] = of.sigma;
        break;
    case Kind::Gamma:
        json["mean"] = of.mean;
        json["shape"] = of.shape;
        break;
    case Kind::Zipf:
        json["exponent"] = of.exponent;
        json["max"] = of.maximum;
        break;
    case Kind::Quantiles:
        json["points"] = nlohmann::json::array();
        for (const auto& [share, value] : of.points)
            json["points"].push_back({share, value});
        break;
    }
    return json;
}

std::vector<std::string> distributionKeys()
{
    return {"distribution", "value", "min",   "max",      "mean",  "sd",
            "sigma",        "cv",    "shape", "exponent", "points"};
}

} // namespace batchscope::sessions
